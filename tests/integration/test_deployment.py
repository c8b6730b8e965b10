# SPDX-License-Identifier: MIT
"""Tests the manifests of examples/fleet: they are what Kubernetes' schemas say, each command line is one that the program
takes, and the capabilities of the nodes' agent are enough for windows of another user's program."""
import importlib
import os
import pathlib
import subprocess
import sys

from attach_target import TARGET, target
from environment import require_package, run_again_with, with_package
from sampled import QUICK, files, until
from support import COROTRACER, SOURCE, check, folder, run

try:
    import kubernetes_validate
    import yaml
except ImportError:
    run_again_with("kubernetes", __file__)

PLACE = SOURCE / "examples/fleet"
NOBODY = 65534


def manifests():
    """The objects of all files: [(name of the file, object)]."""
    return [(path.name, one) for path in sorted(PLACE.glob("*.yaml")) for one in yaml.safe_load_all(path.read_text())]


def is_valid(one):
    try:
        kubernetes_validate.validate(one, kubernetes_validate.latest_version(), strict=True)
        return True
    except (kubernetes_validate.ValidationError, kubernetes_validate.utils.SchemaNotFoundError) as error:
        print(f"{one['kind']}: {str(error).splitlines()[0]}", flush=True)
        return False


def pods(one):
    """The specifications of pods within an object."""
    if isinstance(one, list):
        return [pod for member in one for pod in pods(member)]
    if not isinstance(one, dict):
        return []
    return [one] if "containers" in one else [pod for member in one.values() for pod in pods(member)]


def ours(objects):
    return [container for _, one in objects for pod in pods(one) for container in pod["containers"]
            if container["image"].startswith("registry.internal/corotracer")]


def check_command(words):
    """The program's own parser takes the words."""
    if words[0] == "corotracer":
        told = run(COROTRACER, *words[1:], status=4).stderr  # the configuration is not there; 2 would be a wrong option
        check("reading '/etc/corotracer/agent.conf'" in told, told)
        return
    check(words[:2] == ["python3", "-m"], f"{words}")
    parser = importlib.import_module(words[2]).parser()
    try:
        parser.parse_args(words[3:])
    except SystemExit:
        check(False, f"{words} is refused")


def check_valid(objects):
    kinds = [one["kind"] for _, one in objects]
    check(sorted(kinds) == ["CronJob", "CronJob", "DaemonSet", "Deployment", "Kustomization", "Pod"], f"{kinds}")
    for name, one in objects:
        if one["kind"] == "Kustomization":
            of = [*one["resources"], *(file for made in one["configMapGenerator"] for file in made["files"])]
            check(all((PLACE / file).exists() for file in of), f"{of}")
            continue
        check(is_valid(one), f"{name}: {one['kind']} is not what Kubernetes takes")
        one["spec"]["hostPid"] = True
        check(not is_valid(one), f"{name}: a mistake is not found")


def capabilities(objects):
    """The command that gives a program what the agent's container has."""
    (container,) = [container for container in ours(objects) if container["name"] == "agent"]
    context = container["securityContext"]
    check(context["capabilities"]["drop"] == ["ALL"] and not context["allowPrivilegeEscalation"], f"{context}")
    named = ",".join(f"+{name.lower()}" for name in context["capabilities"]["add"])
    return ["unshare", "--net", "setpriv", "--no-new-privs", "--inh-caps=-all", f"--bounding-set=-all,{named}", "--"]


def check_agent(objects, scratch):
    """With these capabilities alone, and in a network of its own, windows of another user's program are taken."""
    confined = capabilities(objects)
    if os.geteuid() != 0 or subprocess.run([*confined, "true"], capture_output=True, check=False).returncode:
        print("left out: the agent's capabilities (needs root, and namespaces)", flush=True)
        return
    scratch.chmod(0o777)
    theirs, store = scratch / "theirs", scratch / "store"
    theirs.mkdir()
    os.chown(theirs, NOBODY, NOBODY)
    command = [*confined, COROTRACER, "attach", *QUICK, "--upload", store, "--spool", scratch / "spool"]
    with target(theirs, user=NOBODY) as started:
        check(os.stat(f"/proc/{started.process.pid}").st_uid == NOBODY, f"{TARGET} is not another user's")
        with subprocess.Popen([*map(str, command), str(started.process.pid)], stderr=subprocess.PIPE, text=True) as process:
            until(lambda: store.exists() and files(store), process)
            process.terminate()
            print(process.communicate(timeout=60)[1], flush=True)


def main():
    require_package()
    os.environ.update(with_package())
    sys.path.insert(0, with_package()["PYTHONPATH"])
    objects = manifests()
    with folder() as name:
        check_agent(objects, pathlib.Path(name))
    commands = [container["command"] for container in ours(objects)]
    check(len(commands) == 5, f"{commands}")
    for words in commands:
        check_command(words)
    check_valid(objects)


main()
