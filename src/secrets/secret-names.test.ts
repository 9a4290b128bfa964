import { describe, expect, it } from "vitest";
import { secretsIn } from "./secret-names.ts";

describe("secretsIn", () => {
  it("returns the values of variables that sound secret", () => {
    const env = {
      ANTHROPIC_API_KEY: "one-secret",
      DB_PASSWD: "two-secret",
      npm_config_token: "three-secret",
      AWS_CREDENTIALS: "four-secret",
      HOME: "/home/someone",
      SSH_AUTH_SOCK: "/tmp/agent.sock",
      SHORT_TOKEN: "abc",
      UNSET_KEY: undefined,
    };
    expect(secretsIn(env, 8)).toEqual(["one-secret", "two-secret", "three-secret", "four-secret"]);
  });
});
