import { isAbsolute } from "node:path";
import { addVariable, type ConfigBuild, isUsed, variable } from "../config-build.ts";
import { finding } from "../finding.ts";
import { childTree, type Tree, treeAt } from "../located.ts";
import { referencesIn } from "../variables.ts";
import { withOverrides } from "./apply-overrides.ts";
import { withPatches } from "./apply-patches.ts";

const SHELL_TIMEOUT_MS = 15_000;

/** Users who export these in their shell startup files expect them to be found. */
const PROVIDER_VARIABLES: readonly string[] = [
  "ANTHROPIC_API_KEY",
  "OPENAI_API_KEY",
  "GEMINI_API_KEY",
  "GOOGLE_API_KEY",
  "OPENROUTER_API_KEY",
  "DISCORD_BOT_TOKEN",
  "TELEGRAM_BOT_TOKEN",
];

/** Step 7: take missing variables from the login shell, if `env.shellEnv` is set. */
export async function askLoginShell(build: ConfigBuild): Promise<void> {
  const wanted = shellOf(build, treeAt(build.tree, ["env", "shellEnv"]));
  if (wanted === undefined) return;
  const missing = expected(build).filter((name) => variable(build, name) === undefined);
  if (missing.length === 0) return;
  const answer = await answerOf(build, wanted);
  if (typeof answer === "string") {
    const message = `${answer}. Variables that only the shell sets are missing`;
    build.findings.push(finding("warning", "login-shell", message, ["env", "shellEnv"], wanted.tree.at));
    return;
  }
  const message = `The login shell ${wanted.shell} was asked for ${missing.join(", ")} (env.shellEnv)`;
  build.findings.push(finding("info", "login-shell", message, ["env", "shellEnv"], wanted.tree.at));
  for (const name of missing) addVariable(build, name, answer.get(name) ?? "", "login shell");
}

type Answer = ReadonlyMap<string, string> | string;

/** By environment and shell. Startup files may take seconds, so each shell is asked once in a process. */
const answers = new WeakMap<object, Map<string, Promise<Answer>>>();

async function answerOf({ realEnv }: ConfigBuild, { shell, timeoutMs }: Wanted): Promise<Answer> {
  const { loginEnvironment } = await import("./login-shell.ts");
  const known = answers.get(realEnv) ?? new Map<string, Promise<Answer>>();
  answers.set(realEnv, known);
  const answer = known.get(shell) ?? loginEnvironment(shell, realEnv, timeoutMs);
  known.set(shell, answer);
  return answer;
}

interface Wanted {
  readonly shell: string;
  readonly timeoutMs: number;
  readonly tree: Tree;
}

/** `true`, the path of a shell, or `{ enabled, timeoutMs }`. */
function shellOf(build: ConfigBuild, tree: Tree | undefined): Wanted | undefined {
  if (tree === undefined) return undefined;
  const shell = variable(build, "SHELL") ?? "/bin/sh";
  const limitMs = build.options.shellTimeoutMs ?? SHELL_TIMEOUT_MS;
  if (tree.kind === "value") {
    if (tree.value === true) return { shell, timeoutMs: limitMs, tree };
    if (typeof tree.value !== "string") return undefined;
    if (isAbsolute(tree.value)) return { shell: tree.value, timeoutMs: limitMs, tree };
    const message =
      "env.shellEnv must be the absolute path of a shell, such as /bin/zsh; the shell is not run";
    build.findings.push(finding("warning", "login-shell", message, ["env", "shellEnv"], tree.at));
    return undefined;
  }
  const enabled = childTree(tree, "enabled");
  if (enabled?.kind !== "value" || enabled.value !== true) return undefined;
  const timeout = childTree(tree, "timeoutMs");
  const given = timeout?.kind === "value" && typeof timeout.value === "number" ? timeout.value : limitMs;
  return { shell, timeoutMs: Math.min(limitMs, Math.max(1, given)), tree };
}

/** The variables that the used sections refer to, in values that patches and overrides leave in place. */
function expected(build: ConfigBuild): string[] {
  const names = new Set(isUsed(build, "models") ? PROVIDER_VARIABLES : []);
  const visit = (tree: Tree): void => {
    if (tree.kind === "value") {
      if (typeof tree.value === "string") for (const name of referencesIn(tree.value)) names.add(name);
    } else for (const child of tree.kind === "array" ? tree.items : tree.members.values()) visit(child);
  };
  const tree = withOverrides(build, withPatches(build, build.tree));
  if (tree.kind === "object") {
    for (const [section, child] of tree.members) if (isUsed(build, section)) visit(child);
  }
  return [...names];
}
