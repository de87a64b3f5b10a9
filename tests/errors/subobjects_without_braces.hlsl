// The values of a subobject are a list.
RaytracingPipelineConfig depth = 2; // error[E0201]: expected the values of the subobject in braces
