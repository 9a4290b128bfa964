import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../util/json.ts";
import { type Approval, approvalFor, type ToolLimits } from "./approval.ts";
import { matchesName } from "./name-pattern.ts";

describe("patterns of names", () => {
  it.each<readonly [string, string, boolean]>([
    ["recall", "recall", true],
    ["recall", "recall2", false],
    ["*", "anything", true],
    ["*", "", true],
    ["github_*", "github_search", true],
    ["github_*", "gitlab_search", false],
    ["*_delete", "github_delete", true],
    ["*_delete", "github_delete_all", false],
    ["a*b*c", "a1b2c", true],
    ["a*b*c", "acb", false],
    ["ab*ba", "aba", false],
    ["a**b", "ab", true],
    ["mcp.*", "mcpx", false],
  ])("%s and %s: %s", (pattern, name, expected) => {
    expect(matchesName(pattern, name)).toBe(expected);
  });

  it("cost no more for hostile patterns", () => {
    expect(matchesName(`${"*a".repeat(2000)}*`, "a".repeat(64))).toBe(false);
  });
});

describe("approvalFor", () => {
  const config: JsonObject = {
    tools: { deny: ["forget", "shell_*"] },
    approvals: {
      default: "ask",
      tools: {
        "*": "ask",
        "github_*": "allow",
        github_delete: "deny",
        "*_delete": "deny",
        "dropbox_*": "wrong",
      },
      channels: {
        cli: { tools: { github_delete: "ask", forget: "allow" }, default: "allow" },
        discord: { default: "deny" },
      },
    },
  };

  it.each<readonly [string, string | undefined, Approval]>([
    ["forget", undefined, "deny"],
    ["forget", "cli", "deny"],
    ["shell_exec", "cli", "deny"],
    ["github_search", "cli", "allow"],
    ["github_delete", "discord", "deny"],
    ["github_delete", "cli", "ask"],
    ["recall", undefined, "ask"],
    ["recall", "discord", "ask"],
    ["dropbox_read", undefined, "deny"],
    ["recall", "constructor", "ask"],
  ])("%s in %s: %s", (tool, channel, expected) => {
    expect(approvalFor(tool, channel, config)).toBe(expected);
  });

  it("takes the stricter of two rules that say equally much", () => {
    const rules = { approvals: { tools: { "github_*": "allow", "*_delete": "allow", "*b_delete": "deny" } } };
    expect(approvalFor("github_delete", "cli", rules)).toBe("deny");
  });

  it("uses the default of the channel before the general one", () => {
    const rules = { approvals: { default: "ask", channels: { cli: { default: "allow" } } } };
    expect(approvalFor("recall", "cli", rules)).toBe("allow");
    expect(approvalFor("recall", "discord", rules)).toBe("ask");
    expect(approvalFor("recall", "cli", {})).toBe("allow");
  });

  it.each<readonly [JsonObject, ToolLimits, Approval]>([
    [{ allow: ["recall"] }, {}, "allow"],
    [{ allow: [] }, {}, "deny"],
    [{ allow: ["re*"] }, { allow: ["recall"] }, "allow"],
    [{ allow: ["remember"] }, { allow: ["recall"] }, "deny"],
    [{ allow: ["recall"], deny: ["*"] }, {}, "deny"],
    [{}, { deny: ["recall"] }, "deny"],
    [{}, { allow: [] }, "deny"],
  ])("keeps within the limits %j of all agents and %j of one: %s", (tools, agent, expected) => {
    expect(approvalFor("recall", "cli", { tools }, agent)).toBe(expected);
  });
});
