"""Asks the layout oracle: `layout_rows.py LAYOUT_DIRECTORY REQUESTS.json ANSWERS.json`.

Both files hold a list, an answer for each request:

  {"op": "reduce", "json": FILE, "target": T}       rows of a sidecar
  {"op": "generate", "seed": N, "mode": M, "out": DIRECTORY, "targets": [...] or null}
                                                    the manifest of a generated program
  {"op": "slang", "manifest": FILE, "target": T}    status, diagnostics and rows of the peers
  {"op": "dxc", "manifest": FILE}

An answer is {"ok": VALUE} or {"error": TEXT}.
"""
import json
import os
import sys


def entry_text(entry):
    if isinstance(entry, str):
        return entry
    return "%s:%s@%s" % (entry["name"], entry["stage"], entry["file"])


def answer(request):
    import gen
    import oracle

    op = request["op"]
    if op == "reduce":
        with open(request["json"]) as file:
            return oracle.normalise(json.load(file), request["target"])
    if op == "generate":
        return gen.write(request["seed"], request["out"], mode=request["mode"], targets=request["targets"])
    with open(request["manifest"]) as file:
        manifest = json.load(file)
    directory = os.path.dirname(os.path.abspath(request["manifest"]))
    if op == "slang":
        target = request["target"]
        entries = [entry_text(e) for e in manifest["entries"]]
        options = manifest["options"].get(target, [])
        return oracle.public(oracle.slang_rows(manifest["files"], target, entries, options, directory))
    if op == "dxc":
        dxc = manifest["dxc"]
        entry = manifest["entries"][0]["name"]
        return oracle.public(oracle.dxc_rows(manifest["files"][0], dxc["profile"], entry, dxc["options"], directory))
    raise ValueError(op)


def main():
    directory, requests, answers = sys.argv[1:]
    sys.path.insert(0, directory)
    with open(requests) as file:
        requests = json.load(file)
    result = []
    for request in requests:
        try:
            result.append({"ok": answer(request)})
        except Exception as error:
            result.append({"error": "%s: %s" % (type(error).__name__, error)})
    with open(answers, "w") as file:
        json.dump(result, file)


if __name__ == "__main__":
    main()
