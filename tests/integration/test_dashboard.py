# SPDX-License-Identifier: MIT
"""Checks the dashboards for Grafana with the types that Grafana publishes (schemas.py): no field has a wrong type or a name
that Grafana does not know, and a mistake of either kind is detected."""
import json
import pathlib
import re
import shutil
import subprocess
import sys

import schemas
from support import SOURCE, check, folder, skip

# Fields of an annotation that queries Prometheus, which the types of dashboards leave open.
OF_PROMETHEUS = ("expr", "titleFormat", "step")


def without_enums(types):
    """In JSON, enumerators are words, which TypeScript does not accept: each enumeration is replaced by its words."""
    def words(match):
        return f"type {match[1]} = {' | '.join(re.findall(r'= (.+?),?$', match[2], re.MULTILINE))};"
    plain = re.sub(r"(?:declare )?enum (\w+) \{\n(.*?)\n\}", words, types, flags=re.DOTALL)
    check("enum " not in plain, "an enumeration was not understood")
    return plain


def told(place, dashboards):
    """Compiles each dashboard; returns the names of those with a mistake."""
    text = 'import { Dashboard } from "./types";\n'
    for name, dashboard in dashboards.items():
        text += f"export const {name}: Partial<Dashboard> = {json.dumps(dashboard)};\n"
    (place / "types.ts").write_text(without_enums(schemas.require("dashboard_types.gen.d.ts").read_text()))
    (place / "dashboards.ts").write_text(text)
    done = subprocess.run(["tsc", "--noEmit", "--strict", "--skipLibCheck", "--target", "es2020", "dashboards.ts"], cwd=place,
                          capture_output=True, text=True, check=False, timeout=120)
    names = list(dashboards)
    return [names[int(line) - 2] for line in re.findall(r"^dashboards\.ts\((\d+),", done.stdout, re.MULTILINE)], done.stdout


def main():
    if not shutil.which("tsc"):
        skip("there is no TypeScript")
    text = (SOURCE / "docs/metrics/dashboard.json").read_text()
    fleet = json.loads((SOURCE / "docs/metrics/fleet-dashboard.json").read_text())
    dashboard, another_type, another_name = (json.loads(text) for _ in range(3))
    for one in (fleet, dashboard, another_type, another_name):
        for annotation in one["annotations"]["list"]:
            for field in OF_PROMETHEUS:
                annotation.pop(field, None)
    another_type["panels"][0]["gridPos"]["h"] = "high"
    another_name["panels"][0]["titel"] = another_name["panels"][0].pop("title")
    with folder() as name:
        wrong, said = told(pathlib.Path(name), {"ours": dashboard, "fleet": fleet, "anotherType": another_type,
                                              "anotherName": another_name})
    check(not {"ours", "fleet"} & set(wrong), said)
    check({"anotherType", "anotherName"} <= set(wrong), f"a mistake is not found: {said}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
