// Included by preprocessor.slang.
float fromInclude = 1.0;
