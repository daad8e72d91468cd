"""Renders templates with the real Jinja2, for the comparison in jinja_test.go.

Reads one JSON document per line: first the contexts by name, then {"template": …, "context": name}. Answers each
template with a line: {"output": …}, or {"error": …} for a template that Jinja2 refuses at any time. The process is
started once for many templates.
"""
import copy
import json
import resource
import sys
import warnings

from jinja2.sandbox import SandboxedEnvironment

# A comparison must not take the machine down: what does not fit is an error.
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
warnings.simplefilter("ignore")

environment = SandboxedEnvironment()
contexts = json.loads(sys.stdin.readline())
for line in sys.stdin:
    case = json.loads(line)
    try:
        # A copy, because some filters change their argument: indent does, on a list.
        context = copy.deepcopy(contexts[case["context"]])
        output = environment.from_string(case["template"]).render(**context)
        answer = {"output": output}
        json.dumps(answer).encode()
        output.encode()
    except Exception as e:
        answer = {"error": f"{type(e).__name__}: {e}"[:200]}
    print(json.dumps(answer), flush=True)
