// A command line for libdxcompiler: dxc_driver LIBRARY FILE [DXC ARGUMENTS] [--out OBJECT]
//
// Writes the object with --out, else prints its disassembly. Exit code 0: compiled, 1: errors (on stderr), 2: no library.
// The package that carries the library has no dxc program, so this stands in for it.
#include "WinAdapter.h"
#include "dxcapi.h"

#include <dlfcn.h>

#include <cstdio>
#include <fstream>
#include <iterator>
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

int main(int count, char **values)
{
    if (count < 3)
        return fail("dxc_driver LIBRARY FILE [DXC ARGUMENTS] [--out OBJECT]");

    void *library = dlopen(values[1], RTLD_LAZY);
    if (!library)
        return fail(dlerror());
    auto create = reinterpret_cast<DxcCreateInstanceProc>(dlsym(library, "DxcCreateInstance"));
    if (!create)
        return fail("not a libdxcompiler");

    std::string output;
    std::vector<std::wstring> arguments = {widen(values[2])};
    for (int i = 3; i < count; ++i)
    {
        if (std::string(values[i]) == "--out" && i + 1 < count)
            output = values[++i];
        else
            arguments.push_back(widen(values[i]));
    }
    std::vector<LPCWSTR> pointers;
    for (const auto &argument : arguments)
        pointers.push_back(argument.c_str());

    std::ifstream file(values[2], std::ios::binary);
    if (!file)
        return fail(std::string("cannot read ") + values[2]);
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
