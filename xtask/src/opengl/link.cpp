// Compiles and links GLSL in Mesa, without a window. Arguments: `gl` or `es`. Each line of the input is a program: the paths of
// its stages, with a tab between. Each line of the output is `ok`, or what Mesa says. The exit status is 3 without a driver.

#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

typedef void *(*GetProcAddress)(const char *);

template <typename Function> static Function find(GetProcAddress get, const char *name) {
    return reinterpret_cast<Function>(get(name));
}

static int missing(const char *what) {
    std::fprintf(stderr, "%s\n", what);
    return 3;
}

/// A context of the newest version, current in this thread; an explanation if there is none.
static const char *open_context(GetProcAddress get, bool es) {
    enum { SURFACELESS = 0x31DD, OPENGL = 0x30A2, OPENGL_ES = 0x30A0, MAJOR = 0x3098, MINOR = 0x30FB, NONE = 0x3038 };
    auto display = find<void *(*)(unsigned, void *, const void *)>(get, "eglGetPlatformDisplay");
    auto initialize = find<unsigned (*)(void *, int *, int *)>(get, "eglInitialize");
    auto bind = find<unsigned (*)(unsigned)>(get, "eglBindAPI");
    auto create = find<void *(*)(void *, void *, void *, const int *)>(get, "eglCreateContext");
    auto make_current = find<unsigned (*)(void *, void *, void *, void *)>(get, "eglMakeCurrent");
    if (!display || !initialize || !bind || !create || !make_current) return "EGL 1.5 is missing";
    void *on = display(SURFACELESS, nullptr, nullptr);
    if (!on || !initialize(on, nullptr, nullptr)) return "Mesa has no display without a window";
    const int version[] = {MAJOR, es ? 3 : 4, MINOR, es ? 2 : 5, NONE};
    void *context = bind(es ? OPENGL_ES : OPENGL) ? create(on, nullptr, nullptr, version) : nullptr;
    if (!context || !make_current(on, nullptr, nullptr, context)) return "Mesa has no context of this version";
    return nullptr;
}

struct Driver {
    unsigned (*create_shader)(unsigned);
    void (*source)(unsigned, int, const char *const *, const int *);
    void (*compile)(unsigned);
    void (*shader_log)(unsigned, int, int *, char *);
    unsigned (*create_program)();
    void (*parameter)(unsigned, unsigned, int);
    void (*attach)(unsigned, unsigned);
    void (*link)(unsigned);
    void (*status)(unsigned, unsigned, int *);
    void (*program_log)(unsigned, int, int *, char *);

    explicit Driver(GetProcAddress get) {
        create_shader = find<decltype(create_shader)>(get, "glCreateShader");
        source = find<decltype(source)>(get, "glShaderSource");
        compile = find<decltype(compile)>(get, "glCompileShader");
        shader_log = find<decltype(shader_log)>(get, "glGetShaderInfoLog");
        create_program = find<decltype(create_program)>(get, "glCreateProgram");
        parameter = find<decltype(parameter)>(get, "glProgramParameteri");
        attach = find<decltype(attach)>(get, "glAttachShader");
        link = find<decltype(link)>(get, "glLinkProgram");
        status = find<decltype(status)>(get, "glGetProgramiv");
        program_log = find<decltype(program_log)>(get, "glGetProgramInfoLog");
    }

    /// What is wrong with a program; empty if nothing is.
    std::string judge(const std::string &paths) const {
        enum { VERTEX = 0x8B31, FRAGMENT = 0x8B30, COMPUTE = 0x91B9, SEPARABLE = 0x8258, LINK_STATUS = 0x8B82 };
        unsigned program = create_program();
        std::stringstream list(paths);
        std::string path, log;
        int stages = 0;
        char text[4096];
        for (; std::getline(list, path, '\t'); stages++) {
            std::string kind = path.substr(path.rfind('.') + 1);
            std::ifstream file(path);
            std::stringstream content;
            content << file.rdbuf();
            std::string code = content.str();
            const char *start = code.c_str();
            unsigned shader = create_shader(kind == "vert" ? VERTEX : kind == "frag" ? FRAGMENT : COMPUTE);
            source(shader, 1, &start, nullptr);
            compile(shader);
            shader_log(shader, sizeof text, nullptr, text);
            log += text;
            attach(program, shader);
        }
        // A stage alone is a program by itself only if it is to be combined with others later.
        parameter(program, SEPARABLE, stages == 1);
        link(program);
        int linked = 0;
        status(program, LINK_STATUS, &linked);
        program_log(program, sizeof text, nullptr, text);
        return linked ? std::string() : log + text;
    }
};

int main(int count, char **arguments) {
    void *library = dlopen("libEGL.so.1", RTLD_NOW);
    if (!library) return missing("libEGL.so.1 was not found");
    auto get = reinterpret_cast<GetProcAddress>(dlsym(library, "eglGetProcAddress"));
    if (!get) return missing("libEGL.so.1 has no eglGetProcAddress");
    if (const char *what = open_context(get, count > 1 && !std::strcmp(arguments[1], "es"))) return missing(what);
    Driver driver(get);
    for (std::string line; std::getline(std::cin, line);) {
        std::string wrong = driver.judge(line);
        for (char &c : wrong) c = c == '\n' ? ' ' : c;
        std::cout << (wrong.empty() ? "ok" : wrong) << std::endl;
    }
}
