import { type Fix, runDoctor } from "../../doctor/index.ts";
import { quoted } from "../../util/visible-text.ts";
import type { GatewayContext } from "../context.ts";
import type { DiagnosisView } from "../wire/rest.ts";
import { defineRoute, type Route } from "./route.ts";
import { objectOf } from "./schemas.ts";

const FINDING = objectOf({
  code: { type: "string" },
  severity: { enum: ["error", "warning", "note"] },
  what: { type: "string" },
  fix: { type: "string" },
});

/** It reads the whole store: those who ask meanwhile get the answer of the one that runs. */
const running = new WeakMap<GatewayContext, Promise<DiagnosisView>>();

export const DOCTOR_ROUTES: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/api/v1/doctor",
    permission: "admin",
    summary: "Check the machine, the state folder, the config and the store, without changing anything",
    answer: objectOf({
      ok: { type: "boolean" },
      findings: { type: "array", items: FINDING },
      checked: { type: "array", items: { type: "string" } },
    }),
    handle: async (_, gateway) => {
      const known = running.get(gateway);
      if (known !== undefined) return { json: await known };
      const diagnosis = diagnose(gateway).finally(() => running.delete(gateway));
      running.set(gateway, diagnosis);
      return { json: await diagnosis };
    },
  }),
];

async function diagnose({ store, agents }: GatewayContext): Promise<DiagnosisView> {
  const { stateDir, env } = agents.installation;
  const { engine, path } = await store.counts();
  const { ok, findings, checkups } = await runDoctor({
    config: { stateDir, env, repair: false },
    store: {
      target: `${engine}:${path ?? ""}`,
      engine,
      path,
      // A store without files is gone for everybody but this process.
      expected: path !== null,
      indexed: path !== null,
      worker: true,
    },
  });
  return {
    ok,
    findings: findings.map(({ code, severity, what, fix }) => ({ code, severity, what, fix: fixText(fix) })),
    checked: checkups.map(({ checked }) => checked),
  };
}

/** What to do, with a command that can be pasted. */
function fixText({ text, command, shell }: Fix): string {
  const words = command === undefined ? shell : ["colloquy", ...command];
  return words === undefined ? text : `${text}: ${words.map(quoted).join(" ")}`;
}
