import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Place, type Printed } from "./run-command.ts";

const UNKNOWN_ID = "0198c0de-1111-7222-8333-444455556666";

interface Row {
  readonly what: string;
  readonly args: readonly string[];
  readonly exit: 1 | 2;
  readonly code?: string;
  readonly field?: string | null;
  readonly message?: RegExp;
}

const append = (...args: string[]): string[] => ["sessions", "append", ...args];

const rows: readonly Row[] = [
  // A command line that cannot be parsed.
  {
    what: "an unknown command",
    args: ["sesions"],
    exit: 2,
    field: "command",
    message: /did you mean "sessions"\?/,
  },
  {
    what: "the start of a command",
    args: ["session"],
    exit: 2,
    field: "command",
    message: /did you mean "sessions"\?/,
  },
  {
    what: "an unknown group",
    args: ["sesions", "list"],
    exit: 2,
    field: "command",
    message: /did you mean "sessions list"\?/,
  },
  {
    what: "an unknown command of a group",
    args: ["sessions", "lst"],
    exit: 2,
    field: "command",
    message: /"sessions list"\?/,
  },
  {
    what: "a command far from all others",
    args: ["xylophone"],
    exit: 2,
    field: "command",
    message: /"xylophone"\. See/,
  },
  {
    what: "a command without its group",
    args: ["list"],
    exit: 2,
    field: "command",
    message: /"sessions list"\?/,
  },
  {
    what: "the version as a command",
    args: ["version"],
    exit: 2,
    field: "command",
    message: /"--version"\?/,
  },
  { what: "a group without a command", args: ["sessions"], exit: 2, field: "command", message: /list, show/ },
  {
    what: "an unknown option",
    args: ["sessions", "list", "--limt", "3"],
    exit: 2,
    field: "limt",
    message: /"--limit"\?/,
  },
  {
    what: "an option of another command",
    args: ["sessions", "list", "--role", "user"],
    exit: 2,
    field: "role",
  },
  { what: "an unknown short option", args: ["doctor", "-x"], exit: 2, field: "x" },
  { what: "an option without its value", args: ["sessions", "list", "--limit"], exit: 2, field: "limit" },
  {
    what: "an option instead of a value",
    args: ["sessions", "list", "--limit", "--trash"],
    exit: 2,
    field: "limit",
  },
  { what: "a value for a switch", args: ["sessions", "list", "--trash=yes"], exit: 2, field: "trash" },
  {
    what: "an option given twice",
    args: ["sessions", "list", "--limit", "1", "--limit", "2"],
    exit: 2,
    field: "limit",
  },
  { what: "a missing argument", args: ["sessions", "show"], exit: 2, field: "ID|KEY" },
  { what: "a missing title", args: ["sessions", "title", "a:b"], exit: 2, field: "TITLE" },
  {
    what: "a title without quotes",
    args: ["sessions", "title", "a:b", "My", "title"],
    exit: 2,
    message: /quotes/,
  },
  { what: "no role", args: append("a:b", "--content", "x"), exit: 2, field: "role" },
  { what: "no content", args: append("a:b", "--role", "user"), exit: 2, field: "content" },
  {
    what: "lines and content at once",
    args: append("a:b", "--jsonl", "-", "--content", "x"),
    exit: 2,
    field: "content",
  },
  { what: "lines from a file", args: append("a:b", "--jsonl", "x.jsonl"), exit: 2, field: "jsonl" },
  { what: "help for an unknown command", args: ["help", "sessions", "burn"], exit: 2, field: "command" },
  // Values that are wrong.
  {
    what: "no known conversation",
    args: ["sessions", "show", "nonsense"],
    exit: 1,
    code: "NOT_FOUND",
    message: /nonsense not found: use an id, .* a title, or a row of the last list \('#3'\)$/,
  },
  { what: "an empty reference", args: ["sessions", "show", " "], exit: 1, field: "id" },
  { what: "a reference with a newline", args: ["sessions", "show", "a\nb"], exit: 1, field: "id" },
  { what: "a wrong key", args: append("a:", "--role", "user", "--content", "x"), exit: 1, field: "key" },
  {
    what: "a row before any list",
    args: ["sessions", "show", "#1"],
    exit: 1,
    code: "NOT_FOUND",
    message: /^#1 refers to a row of the last list\. List first: /,
  },
  {
    what: "an unknown value for --color",
    args: ["sessions", "list", "--color", "red"],
    exit: 1,
    field: "color",
    message: /^--color must be auto, always or never, not "red"$/,
  },
  {
    what: "context without an entry",
    args: ["sessions", "show", "good:1", "-C", "2"],
    exit: 2,
    field: "context",
  },
  {
    what: "an entry and the end",
    args: ["sessions", "show", "good:1", "--at", "1", "--last", "2"],
    exit: 2,
    field: "last",
  },
  {
    what: "an unknown entry",
    args: ["sessions", "show", "good:1", "--at", "99"],
    exit: 1,
    code: "NOT_FOUND",
  },
  { what: "an impossible day", args: ["sessions", "list", "--after", "2026-02-30"], exit: 1, field: "after" },
  { what: "a time without a zone", args: ["sessions", "list", "--before", "noon"], exit: 1, field: "before" },
  {
    what: "restoring an unknown key",
    args: ["sessions", "restore", "a:b", "--state-dir", "state"],
    exit: 1,
    code: "NOT_FOUND",
    message: /\ba:b\b/,
  },
  {
    what: "a role that is none",
    args: append("a:b", "--role", "robot", "--content", "x"),
    exit: 1,
    field: "role",
  },
  {
    what: "empty content",
    args: append("a:b", "--role", "user", "--content", " "),
    exit: 1,
    field: "content",
  },
  {
    what: "empty standard input",
    args: append("a:b", "--role", "user", "--content", "-"),
    exit: 1,
    field: "content",
  },
  {
    what: "an id that is too long",
    args: append("a:b", "--role", "user", "--content", "x", "--id", "x".repeat(257)),
    exit: 1,
    field: "id",
  },
  {
    what: "an empty operation id",
    args: append("a:b", "--role", "user", "--content", "x", "--operation-id="),
    exit: 1,
    field: "operationId",
  },
  {
    what: "a blank title",
    args: ["sessions", "title", "good:1", " "],
    exit: 1,
    field: "title",
    message: /^Title must not be blank; "" removes it$/,
  },
  {
    what: "an option instead of a colour",
    args: ["sessions", "list", "--color", "--trash"],
    exit: 2,
    field: "color",
  },
  {
    what: "a title of two lines",
    args: ["sessions", "title", "good:1", "a\nb"],
    exit: 1,
    field: "title",
  },
  {
    what: "a title that is too long",
    args: ["sessions", "title", "good:1", "x".repeat(121)],
    exit: 1,
    field: "title",
  },
  {
    what: "a limit that is not a number",
    args: ["sessions", "list", "--limit", "many"],
    exit: 1,
    field: "limit",
  },
  {
    what: "a limit of nothing",
    args: ["sessions", "list", "--limit", "0"],
    exit: 1,
    field: "limit",
    message: /^--limit must be an integer from 1 to 10000, not "0"$/,
  },
  {
    what: "a limit above that of the store",
    args: ["sessions", "list", "--limit", "10001"],
    exit: 1,
    field: "limit",
    message: /^--limit must be an integer from 1 to 10000, not "10001"$/,
  },
  {
    what: "a wrong number for --last",
    args: ["sessions", "show", "good:1", "--last=-1"],
    exit: 1,
    field: "last",
  },
  { what: "a wrong cursor", args: ["sessions", "list", "--cursor", "abc"], exit: 1, field: "cursor" },
  // Missing things.
  { what: "an unknown id to show", args: ["sessions", "show", UNKNOWN_ID], exit: 1, code: "NOT_FOUND" },
  { what: "an unknown key to read", args: ["sessions", "history", "no:one"], exit: 1, code: "NOT_FOUND" },
  {
    what: "an unknown id to append to",
    args: append(UNKNOWN_ID, "--role", "user", "--content", "x"),
    exit: 1,
    code: "NOT_FOUND",
  },
  { what: "an unknown key to delete", args: ["sessions", "delete", "no:one"], exit: 1, code: "NOT_FOUND" },
  { what: "an unknown key to name", args: ["sessions", "title", "no:one", "x"], exit: 1, code: "NOT_FOUND" },
  { what: "an unknown id to restore", args: ["sessions", "restore", UNKNOWN_ID], exit: 1, code: "NOT_FOUND" },
  {
    what: "a missing SQLite file",
    args: ["sessions", "list", "--store", "sqlite:none.db"],
    exit: 1,
    code: "NOT_FOUND",
  },
  {
    what: "a missing folder",
    args: ["sessions", "list", "--store", "jsonl:none"],
    exit: 1,
    code: "NOT_FOUND",
  },
  {
    what: "a missing store to delete from",
    args: ["sessions", "delete", "a:b", "--store", "none.db"],
    exit: 1,
    code: "NOT_FOUND",
  },
  {
    what: "a missing store at the first screen",
    args: ["--store", "sqlite:none.db"],
    exit: 1,
    code: "NOT_FOUND",
  },
  // Branches.
  {
    what: "a command of a group that is none",
    args: ["sessions", "backup", "x"],
    exit: 2,
    field: "command",
    message: /did you mean "backup"\?/,
  },
  {
    what: "two starts for a branch",
    args: ["sessions", "branch", "good:1", "--from", "1", "--from-start"],
    exit: 2,
    field: "from",
  },
  {
    what: "a branch from an unknown entry",
    args: ["sessions", "branch", "good:1", "--from", "99"],
    exit: 1,
    code: "NOT_FOUND",
    field: "ENTRY",
    message: /"99" not found: use an id, a number from "sessions show", or a label/,
  },
  {
    what: "a branch from an empty id",
    args: ["sessions", "branch", "good:1", "--from="],
    exit: 1,
    field: "ENTRY",
  },
  {
    what: "an empty name for a branch",
    args: ["sessions", "branch", "good:1", "--name="],
    exit: 1,
    field: "name",
  },
  {
    what: "a branch that exists",
    args: ["sessions", "branch", "good:1", "--name", "main"],
    exit: 1,
    code: "CONFLICT",
    field: "name",
  },
  ...[
    ["sessions", "checkout", "good:1", "maim"],
    ["sessions", "compare", "good:1", "main", "maim"],
    ["sessions", "show", "good:1", "--branch", "maim"],
    ["sessions", "history", "good:1", "--branch", "maim"],
    ["sessions", "prune", "good:1", "--name", "maim"],
    ["sessions", "context", "good:1", "--max-tokens", "9000", "--branch", "maim"],
    append("good:1", "--role", "user", "--content", "x", "--branch", "maim"),
  ].map((args) => ({
    what: `an unknown branch, for "${args.slice(0, 2).join(" ")}",`,
    args,
    exit: 1 as const,
    code: "NOT_FOUND",
    field: "branch",
    message: /did you mean "main"\?/,
  })),
  {
    what: "a branch far from all others",
    args: ["sessions", "checkout", "good:1", "xylophone"],
    exit: 1,
    code: "NOT_FOUND",
    message: /; existing branches: main$/,
  },
  {
    what: "a branch of a missing conversation",
    args: append("new:1", "--role", "user", "--content", "x", "--branch", "idea"),
    exit: 1,
    code: "NOT_FOUND",
    field: "branch",
  },
  {
    what: "a branch and everything",
    args: ["sessions", "show", "good:1", "--branch", "main", "--all"],
    exit: 2,
    field: "branch",
  },
  { what: "compare with one branch", args: ["sessions", "compare", "good:1", "main"], exit: 2, field: "B" },
  { what: "a label without words", args: ["sessions", "label", "good:1", "1"], exit: 2, field: "TEXT" },
  {
    what: "a label that is also removed",
    args: ["sessions", "label", "good:1", "1", "x", "--remove"],
    exit: 2,
    field: "remove",
  },
  {
    what: "a label without quotes",
    args: ["sessions", "label", "good:1", "1", "two", "words"],
    exit: 2,
    message: /Put the label in quotes/,
  },
  {
    what: "pruning nothing in particular",
    args: ["sessions", "prune", "good:1"],
    exit: 1,
    field: "options",
    message: /--abandoned or --name\. Nothing is removed by default/,
  },
  {
    what: "pruning by name and by number",
    args: ["sessions", "prune", "good:1", "--name", "a", "--keep", "1"],
    exit: 2,
    field: "keep",
  },
  {
    what: "pruning main",
    args: ["sessions", "prune", "good:1", "--name", "main"],
    exit: 1,
    message: /^main cannot be pruned$/,
  },
  {
    what: "a wrong number of days",
    args: ["sessions", "prune", "good:1", "--older-than-days", "soon"],
    exit: 1,
    field: "older-than-days",
    message: /an integer of at least 0/,
  },
  // What a model receives.
  { what: "no window", args: ["sessions", "context", "good:1"], exit: 2, field: "max-tokens" },
  {
    what: "a window of nothing",
    args: ["sessions", "context", "good:1", "--max-tokens", "0"],
    exit: 1,
    field: "max-tokens",
  },
  {
    what: "a window without room",
    args: ["sessions", "context", "good:1", "--max-tokens", "100"],
    exit: 1,
    field: "max-tokens",
  },
  {
    what: "an unknown strategy",
    args: ["sessions", "context", "good:1", "--max-tokens", "9000", "--strategy", "best"],
    exit: 1,
    field: "strategy",
    message: /auto, full, sliding or sandwich/,
  },
  {
    what: "a number of messages for another strategy",
    args: ["sessions", "context", "good:1", "--max-tokens", "9000", "--last", "3"],
    exit: 2,
    field: "last",
  },
  {
    what: "no summary",
    args: ["sessions", "compact", "good:1"],
    exit: 2,
    field: "summary",
    message: /no model that could write the summary.*auth add anthropic.*--summary/,
  },
  {
    what: "an empty summary",
    args: ["sessions", "compact", "good:1", "--summary", " "],
    exit: 1,
    field: "summary",
  },
  {
    what: "an empty summary on standard input",
    args: ["sessions", "compact", "good:1", "--summary", "-"],
    exit: 1,
    field: "summary",
  },
  {
    what: "a summary to undo",
    args: ["sessions", "compact", "good:1", "--summary", "x", "--undo", "1"],
    exit: 2,
    field: "summary",
  },
  {
    what: "undoing something that is not a compaction",
    args: ["sessions", "compact", "good:1", "--undo", "1"],
    exit: 1,
    code: "NOT_FOUND",
    field: "undo",
    message: /^Entry 1 is not a compaction: it is a message with the role user$/,
  },
  // Erasing.
  {
    what: "redacting by a number",
    args: ["sessions", "redact", "good:1", "1"],
    exit: 1,
    field: "ENTRY",
    message: /requires the id of the entry: "1" is [0-9a-f-]{36}$/,
  },
  {
    what: "redacting an unknown entry",
    args: ["sessions", "redact", "good:1", "nothing"],
    exit: 1,
    code: "NOT_FOUND",
  },
  { what: "purging nothing", args: ["sessions", "purge"], exit: 2, field: "ID|KEY", message: /--trash/ },
  {
    what: "purging one and all",
    args: ["sessions", "purge", UNKNOWN_ID, "--trash"],
    exit: 2,
    field: "trash",
  },
  { what: "forcing the trash", args: ["sessions", "purge", "--trash", "--force"], exit: 2, field: "force" },
  {
    what: "purging one of some age",
    args: ["sessions", "purge", UNKNOWN_ID, "--older-than-days", "1"],
    exit: 2,
    field: "older-than-days",
  },
  {
    what: "purging what is not in the trash",
    args: ["sessions", "purge", "good:1"],
    exit: 1,
    code: "CONFLICT",
    field: "force",
    message: /sessions delete good:1 first, or add --force$/,
  },
  {
    what: "a dry run for a conversation that is not in the trash",
    args: ["sessions", "purge", "good:1", "--dry-run"],
    exit: 1,
    code: "CONFLICT",
  },
  {
    what: "purging an unknown id",
    args: ["sessions", "purge", UNKNOWN_ID, "--force"],
    exit: 1,
    code: "NOT_FOUND",
  },
  {
    what: "purging an unknown key",
    args: ["sessions", "purge", "no:one"],
    exit: 1,
    code: "NOT_FOUND",
    message: /^Conversation no:one not found$/,
  },
  {
    what: "no limit to retain by",
    args: ["sessions", "retain"],
    exit: 1,
    field: "limits",
    message: /^Nothing is removed by default/,
  },
  {
    what: "a channel without a limit",
    args: ["sessions", "retain", "--channel", "good"],
    exit: 1,
    field: "limits",
  },
  {
    what: "an age that is not a number",
    args: ["sessions", "retain", "--max-age-days", "old"],
    exit: 1,
    field: "max-age-days",
    message: /an integer of at least 0/,
  },
  {
    what: "restoring what is not in the trash",
    args: ["sessions", "restore", "good:1"],
    exit: 1,
    code: "NOT_FOUND",
    message: /^Conversation good:1 is not in the trash$/,
  },
  {
    what: "retaining in a missing store",
    args: ["sessions", "retain", "--max-age-days", "1", "--store", "none.db"],
    exit: 1,
    code: "NOT_FOUND",
  },
  // Copies.
  {
    what: "a backup to a target",
    args: ["backup", "sqlite:copy.db"],
    exit: 1,
    field: "PATH",
    message: /use copy\.db$/,
  },
  { what: "a backup to nowhere", args: ["backup", ""], exit: 1, field: "PATH" },
  { what: "a backup over a file", args: ["backup", "notes.txt"], exit: 1, code: "CONFLICT" },
  {
    what: "a backup of a missing store",
    args: ["backup", "copy.db", "--store", "none.db"],
    exit: 1,
    code: "NOT_FOUND",
  },
  {
    what: "a backup before the first message",
    args: ["backup", "copy.db", "--state-dir", "elsewhere"],
    exit: 1,
    code: "NOT_FOUND",
    message: /Nothing to back up/,
  },
  {
    what: "restoring from nothing",
    args: ["restore", "none.db"],
    exit: 1,
    code: "NOT_FOUND",
    field: "PATH",
  },
  {
    what: "restoring a conversation without its group",
    args: ["restore", UNKNOWN_ID],
    exit: 1,
    code: "NOT_FOUND",
    message: /sessions restore 0198c0de/,
  },
  {
    what: "a folder to restore as a file",
    args: ["restore", "folder"],
    exit: 1,
    field: "store",
    message: /--store jsonl:FOLDER$/,
  },
  {
    what: "a file to restore as a folder",
    args: ["restore", "other.db", "--store", "jsonl:made"],
    exit: 1,
    field: "store",
    message: /--store sqlite:FILE$/,
  },
  {
    what: "another program's file to restore",
    args: ["restore", "other.db", "--store", "sqlite:made.db"],
    exit: 1,
  },
  // Files and folders that are not a store.
  {
    what: "a folder instead of a file",
    args: ["sessions", "list", "--store", "sqlite:folder"],
    exit: 1,
    field: "target",
    message: /folder/,
  },
  {
    what: "a file instead of a folder",
    args: ["sessions", "list", "--store", "jsonl:notes.txt"],
    exit: 1,
    field: "target",
    message: /file/,
  },
  {
    what: "a text file",
    args: ["sessions", "list", "--store", "sqlite:notes.txt"],
    exit: 1,
    field: "target",
  },
  {
    what: "a SQLite file of another program",
    args: ["sessions", "list", "--store", "other.db"],
    exit: 1,
    field: "target",
    message: /another program/,
  },
  {
    what: "appending to another program's file",
    args: append("a:b", "--role", "user", "--content", "x", "--store", "other.db"),
    exit: 1,
    field: "target",
  },
  {
    what: "a folder of another program",
    args: ["sessions", "list", "--store", "theirs"],
    exit: 1,
    field: "target",
    message: /another program/,
  },
  {
    what: "a path that could be anything",
    args: ["sessions", "list", "--store", "folder"],
    exit: 1,
    field: "store",
    message: /sqlite:folder or jsonl:folder/,
  },
  {
    what: "an engine that does not exist",
    args: ["sessions", "list", "--store", "mongo:x"],
    exit: 1,
    field: "target",
  },
  ...[["sessions", "list"], append("a:b", "--role", "user", "--content", "x"), ["doctor"], []].map(
    (args) => ({
      what: `an engine that keeps nothing, for "${args.slice(0, 2).join(" ")}",`,
      args: [...args, "--store", "ephemeral:"],
      exit: 1 as const,
      field: "store",
      message: /keeps nothing/,
    }),
  ),
  {
    what: "an engine without a path",
    args: ["sessions", "list", "--store", "sqlite:"],
    exit: 1,
    field: "store",
  },
  {
    what: "an engine of a later version",
    args: ["sessions", "list", "--store", "postgres://x/y"],
    exit: 1,
    code: "NOT_SUPPORTED",
  },
];

describe("bad input", () => {
  const place = new Place();

  beforeAll(async () => {
    await place.json(["sessions", "append", "good:1", "--role", "user", "--content", "Hi"]);
    mkdirSync(place.path("folder"));
    mkdirSync(place.path("theirs"));
    writeFileSync(place.path("theirs", "store.json"), '{"name":"a shop"}');
    writeFileSync(place.path("notes.txt"), "Not a database, but text of some length.\n".repeat(50));
    const other = new DatabaseSync(place.path("other.db"));
    other.exec("CREATE TABLE theirs (x)");
    other.close();
  });
  afterAll(() => place[Symbol.dispose]());

  it.concurrent.each(rows)(
    "$what ends with exit code $exit",
    async ({ args, exit, code, field, message }) => {
      const failed = await place.failure(args);
      expect(failed.code).toBe(exit);
      expect(Object.keys(failed.error)).toEqual(["code", "message", "field"]);
      expect(failed.error.code).toBe(code ?? "VALIDATION_ERROR");
      if (field !== undefined) expect(failed.error.field).toBe(field);
      if (message !== undefined) expect(failed.error.message).toMatch(message);
    },
  );

  it("creates nothing", async () => {
    expect(readdirSync(place.folder).sort()).toEqual(["folder", "notes.txt", "other.db", "state", "theirs"]);
    const { items } = await place.json(["sessions", "list"]);
    expect(items.map((info: Printed) => info.key)).toEqual(["good:1"]);
  });

  it("is one readable line on standard error", async () => {
    const { code, stdout, stderr } = await place.run(["sessions", "show", "nonsense\n\u001b[31m"]);
    expect(code).toBe(1);
    expect(stdout).toBe("");
    expect(stderr).toMatch(/^Error: [ -~]+\n$/);
  });
});
