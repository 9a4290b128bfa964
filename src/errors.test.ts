import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { asColloquyError, ColloquyError, invalid } from "./errors.ts";

const CANARY = `sk-ant-${"a1B2".repeat(12)}`;

/** Everything that a log or a terminal may show of an error. */
function told(error: ColloquyError): string {
  const { code, message, field, details, stack } = error;
  return [
    JSON.stringify(error),
    JSON.stringify({ code, message, field, details, stack }),
    inspect(error, { depth: 20, showHidden: true }),
    String(error.cause),
    JSON.stringify(error.cause),
  ].join("\n");
}

function parseError(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return error;
  }
}

describe("an error", () => {
  const system = Object.assign(new Error(`ENOENT: no such file, open '/x/${CANARY}'`), {
    code: "ENOENT",
    path: `/x/${CANARY}`,
    cause: new TypeError(CANARY),
  });

  it.each([
    ["its message", new ColloquyError("NOT_FOUND", `No ${CANARY}`)],
    ["its field", invalid("Wrong", CANARY)],
    ["its details", invalid("Wrong", "x", { [CANARY]: 1, list: [{ text: `a ${CANARY}` }], at: new Date(0) })],
    ["its cause", new ColloquyError("INTERNAL_ERROR", "Failed", { cause: system })],
    ["a cause that is a text", new ColloquyError("INTERNAL_ERROR", "Failed", { cause: CANARY })],
    ["a cause that is an object", new ColloquyError("INTERNAL_ERROR", "Failed", { cause: { CANARY } })],
    ["what was thrown", asColloquyError(parseError(`"${CANARY}`), "Cannot read the file")],
    ["many causes", asColloquyError(new AggregateError([system], CANARY), "Cannot connect")],
  ])("does not repeat a token in %s", (_, error) => {
    expect(told(error)).not.toContain(CANARY);
    expect(told(error)).not.toContain(CANARY.slice(7));
  });

  it("keeps the kind and the code of a cause, and a cause without a token as it is", () => {
    const { cause } = new ColloquyError("INTERNAL_ERROR", "Failed", { cause: system });
    expect(cause).toBeInstanceOf(Error);
    expect(cause).toMatchObject({ code: "ENOENT", message: expect.stringMatching(/^ENOENT: no such file/) });
    const plain = Object.assign(new RangeError("x"), { errcode: 11 });
    expect(new ColloquyError("INTERNAL_ERROR", "Failed", { cause: plain }).cause).toBe(plain);
    const details = { head: "e1", nested: { list: [1, null, "two"] } };
    expect(invalid("Wrong", "x", details).details).toBe(details);
  });

  it("survives details that refer to themselves", () => {
    const details: Record<string, unknown> = { token: CANARY };
    details.self = details;
    const error = invalid("Wrong", "x", details);
    expect(error.details?.self).toBe(error.details);
    expect(inspect(error)).not.toContain(CANARY);
  });
});
