// A command line for libdxcompiler: dxc_driver LIBRARY FILE [DXC ARGUMENTS] [--out OBJECT]
//
// Writes the object with --out, else prints its disassembly. Exit code 0: compiled, 1: errors (on stderr), 2: no library.
// The package that carries the library has no dxc program, so this stands in for it.
//
// dxc_driver LIBRARY --serve compiles many files without loading the library again: each line of its input has the arguments of
// one run, separated by tabs. A run is a fork, so that what ends it or takes its memory ends nothing else. It answers each
// with a line "CODE LENGTH" (the exit code, or -1 where a signal ended it) and LENGTH bytes that the run printed.
#include "WinAdapter.h"
#include "dxcapi.h"

#include <dlfcn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

// DXC takes wide arguments; ours are paths and options, widened byte by byte.
static std::wstring widen(const std::string &text) { return std::wstring(text.begin(), text.end()); }

static int fail(const std::string &message)
{
    std::fprintf(stderr, "error: %s\n", message.c_str());
    return 2;
}

static void printText(IDxcResult *result, DXC_OUT_KIND kind, FILE *stream)
{
    IDxcBlobUtf8 *text = nullptr;
    if (SUCCEEDED(result->GetOutput(kind, __uuidof(IDxcBlobUtf8), reinterpret_cast<void **>(&text), nullptr)) && text)
        std::fwrite(text->GetStringPointer(), 1, text->GetStringLength(), stream);
}

// One run: a file and arguments.
static int compile(DxcCreateInstanceProc create, const std::vector<std::string> &values)
{
    std::string output;
    std::vector<std::wstring> arguments = {widen(values[0])};
    for (size_t i = 1; i < values.size(); ++i)
    {
        if (values[i] == "--out" && i + 1 < values.size())
            output = values[++i];
        else
            arguments.push_back(widen(values[i]));
    }
    std::vector<LPCWSTR> pointers;
    for (const auto &argument : arguments)
        pointers.push_back(argument.c_str());

    std::ifstream file(values[0], std::ios::binary);
    if (!file)
        return fail("cannot read " + values[0]);
    const std::string source{std::istreambuf_iterator<char>(file), {}};

    IDxcCompiler3 *compiler = nullptr;
    IDxcUtils *utils = nullptr;
    IDxcIncludeHandler *includes = nullptr;
    create(CLSID_DxcCompiler, __uuidof(IDxcCompiler3), reinterpret_cast<void **>(&compiler));
    create(CLSID_DxcUtils, __uuidof(IDxcUtils), reinterpret_cast<void **>(&utils));
    if (!compiler || !utils || FAILED(utils->CreateDefaultIncludeHandler(&includes)))
        return fail("libdxcompiler gives no compiler");

    const DxcBuffer buffer{source.data(), source.size(), DXC_CP_UTF8};
    IDxcResult *result = nullptr;
    if (FAILED(compiler->Compile(&buffer, pointers.data(), static_cast<UINT32>(pointers.size()), includes,
                                 __uuidof(IDxcResult), reinterpret_cast<void **>(&result))))
        return fail("the compile call failed");

    printText(result, DXC_OUT_ERRORS, stderr);
    HRESULT status = 0;
    result->GetStatus(&status);
    if (FAILED(status))
        return 1;

    IDxcBlob *object = nullptr;
    result->GetOutput(DXC_OUT_OBJECT, __uuidof(IDxcBlob), reinterpret_cast<void **>(&object), nullptr);
    if (!object)
        return 0;
    if (!output.empty())
    {
        std::ofstream out(output, std::ios::binary);
        out.write(static_cast<const char *>(object->GetBufferPointer()), object->GetBufferSize());
        return out ? 0 : fail("cannot write " + output);
    }

    const DxcBuffer binary{object->GetBufferPointer(), object->GetBufferSize(), 0};
    IDxcResult *listing = nullptr;
    if (SUCCEEDED(compiler->Disassemble(&binary, __uuidof(IDxcResult), reinterpret_cast<void **>(&listing))))
        printText(listing, DXC_OUT_DISASSEMBLY, stdout);
    return 0;
}

// Seconds and bytes of address space that a run may take.
static const unsigned MOST_SECONDS = 60;
static const rlim_t MOST_MEMORY = rlim_t(8) << 30;

// A run in a process of its own; gives its exit code and what it printed.
static int forked(DxcCreateInstanceProc create, const std::vector<std::string> &values, std::string &said)
{
    int ends[2];
    if (pipe(ends) != 0)
        return fail("no pipe");
    const pid_t child = fork();
    if (child == 0)
    {
        const rlimit memory = {MOST_MEMORY, MOST_MEMORY};
        setrlimit(RLIMIT_AS, &memory);
        alarm(MOST_SECONDS);
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        const int code = compile(create, values);
        std::fflush(nullptr);
        _exit(code);
    }
    close(ends[1]);
    char part[4096];
    for (ssize_t length; (length = read(ends[0], part, sizeof part)) > 0;)
        said.append(part, length);
    close(ends[0]);
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int serve(DxcCreateInstanceProc create)
{
    // The first run fills the library's tables, which the forks share.
    IDxcCompiler3 *compiler = nullptr;
    create(CLSID_DxcCompiler, __uuidof(IDxcCompiler3), reinterpret_cast<void **>(&compiler));
    const std::string empty = "float4 main() : SV_Target { return 0; }";
    const DxcBuffer buffer{empty.data(), empty.size(), DXC_CP_UTF8};
    LPCWSTR arguments[] = {L"-T", L"ps_6_6"};
    IDxcResult *result = nullptr;
    if (!compiler || FAILED(compiler->Compile(&buffer, arguments, 2, nullptr, __uuidof(IDxcResult),
                                              reinterpret_cast<void **>(&result))))
        return fail("libdxcompiler does not compile");
    std::cout << "ready" << std::endl;
    for (std::string line; std::getline(std::cin, line);)
    {
        std::vector<std::string> values;
        std::istringstream fields(line);
        for (std::string field; std::getline(fields, field, '\t');)
            values.push_back(field);
        std::string said;
        const int code = values.empty() ? fail("no file") : forked(create, values, said);
        std::cout << code << ' ' << said.size() << '\n' << said << std::flush;
    }
    return 0;
}

int main(int count, char **values)
{
    if (count < 3)
        return fail("dxc_driver LIBRARY FILE [DXC ARGUMENTS] [--out OBJECT], or dxc_driver LIBRARY --serve");

    void *library = dlopen(values[1], RTLD_LAZY);
    if (!library)
        return fail(dlerror());
    auto create = reinterpret_cast<DxcCreateInstanceProc>(dlsym(library, "DxcCreateInstance"));
    if (!create)
        return fail("not a libdxcompiler");
    return std::string(values[2]) == "--serve" ? serve(create) : compile(create, {values + 2, values + count});
}
