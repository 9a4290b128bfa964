/** Settings of Colloquy's own parts. */
import {
  anything,
  choice,
  either,
  type Field,
  flag,
  KEPT,
  list,
  number,
  object,
  path,
  secret,
  text,
  whole,
} from "./field.ts";

const DAYS_MAX = 36_500;
const COUNT_MAX = Number.MAX_SAFE_INTEGER;

const limits = {
  max_age_days: whole("Move conversations to the trash after N days without a message", 1, DAYS_MAX),
  max_messages: whole(
    "Per channel: move the least recently active conversations to the trash until N messages are left",
    1,
    COUNT_MAX,
  ),
  max_bytes: whole("Per channel: the same, until N bytes are left", 1, COUNT_MAX),
};

export const sessions: Field = object("How conversations are stored", {
  format: choice(
    "The format of JSONL files: every format is read; auto and v2 write v2, legacy writes v1",
    ["auto", "legacy", "v2"],
    "auto",
  ),
  auto_migrate: flag("Rewrite legacy JSONL files at their first change, with a backup", { default: true }),
  tree_enabled: flag("Whether conversations may have branches", { default: true }),
  tree: object("Limits for branches", {
    max_depth: whole("The maximum depth of branches", 1, 1000, { default: 10 }),
    warning_depth: whole("The depth above which a new branch causes a warning", 1, 1000, { default: 7 }),
    allow_circular_references: flag("Do not report circular parents in imported files", {
      default: false,
    }),
  }),
  redact: choice(
    "Whether secrets are removed from messages before they are stored; imports are stored as they are",
    ["off", "secrets"],
    "off",
  ),
  redact_values: list(
    "Other values to remove, if redact is secrets; prefer variables",
    secret("A value, exactly as it is written"),
  ),
  retention: object("Limits of colloquy sessions retain. By default, nothing is removed", {
    ...limits,
    trash_days: whole("Purge conversations after N days in the trash", 1, DAYS_MAX),
    channels: object("Different limits for single channels", {}, object("Limits of one channel", limits)),
  }),
});

export const session: Field = object(
  "Session keys, and when a chat starts over",
  {
    store: path("Where the session index is. Not used yet"),
    defaultCountry: text("The country of phone numbers in session keys without a country code", {
      form: { pattern: "^[A-Za-z]{2}$", words: "a country in two letters, such as DE" },
    }),
    idleMinutes: number("Start over after N minutes without a message. Not used yet", { min: 0 }),
  },
  KEPT,
);

const chunk = {
  min_chunk_size: whole("The minimum number of characters, except in the last piece", 1, 100_000),
  max_chunk_size: whole("The maximum number of characters", 1, 100_000),
  prefer_paragraphs: flag("Prefer to break between paragraphs"),
  delimiters: list(
    "Where a piece may end: a paragraph (two newlines), a line (one), or after another text",
    text("A delimiter"),
  ),
};

export const streaming: Field = object(
  "How streamed answers are split into pieces, by channel",
  {
    default: object("For channels without an entry", {
      ...chunk,
      min_chunk_size: { ...chunk.min_chunk_size, default: 50 },
      max_chunk_size: { ...chunk.max_chunk_size, default: 500 },
      prefer_paragraphs: { ...chunk.prefer_paragraphs, default: true },
    }),
  },
  object("One channel", chunk),
);

export const env: Field = object("Variables for the config", {
  shellEnv: either(
    "Take missing variables from the login shell: true, the path of a shell, or { enabled, timeoutMs }",
    flag("Use the shell in $SHELL"),
    text("The path of the shell"),
    object("Details", {
      enabled: flag("Use the shell in $SHELL"),
      timeoutMs: whole("How long to wait", 1, 15_000),
    }),
  ),
  vars: object("Values for variables that are not in the environment", {}, secret("The value of a variable")),
});

export const meta: Field = object("Written by colloquy config set", {
  lastTouchedVersion: text("The version that last changed this file"),
  lastTouchedAt: either(
    "When this file was last changed, in milliseconds since 1970",
    number("Milliseconds"),
    text("ISO 8601"),
  ),
});

const model: Field = object(
  "A model",
  {
    id: text("The provider's id for the model"),
    name: text("The display name"),
    reasoning: flag("Whether the model supports reasoning"),
    input: list("The kinds of input it accepts", choice("A kind of input", ["text", "image"])),
    cost: object(
      "US dollars per million tokens",
      {
        input: number("Price of input", { min: 0 }),
        output: number("Price of output", { min: 0 }),
        cacheRead: number("Price of reading from the cache", { min: 0 }),
        cacheWrite: number("Price of writing to the cache", { min: 0 }),
      },
      anything("Other prices"),
    ),
    contextWindow: whole("The size of the context window, in tokens", 1, COUNT_MAX),
    maxTokens: whole("The maximum length of an answer, in tokens", 1, COUNT_MAX),
  },
  anything("Other properties of the model"),
);

export const models: Field = object(
  "Models and their providers",
  {
    default: text("The default model, as provider/model"),
    mode: choice("Whether your models extend or replace the built-in ones", ["merge", "replace"]),
    providers: object(
      "Providers by id",
      {},
      object(
        "A provider",
        {
          enabled: flag("Whether it is used"),
          baseUrl: text("The URL of its API"),
          api: text("The kind of API"),
          auth: choice("How requests are authenticated", ["api-key", "aws-sdk", "oauth", "token"]),
          apiKey: secret("The API key; prefer a variable, or colloquy auth add"),
          headers: object("Sent with every request", {}, secret("The value of a header")),
          models: list(
            "Additional models, or changes to built-in ones",
            either("A model", text("Its id"), model),
          ),
        },
        anything("Other settings of the provider"),
      ),
    ),
  },
  anything("Other settings of models"),
);

export const auth: Field = object("Credentials and their order", {
  profiles: object(
    "Profiles by id, without their secrets",
    {},
    object(
      "A profile",
      {
        provider: text("The provider"),
        mode: choice("The kind of credential", ["api-key", "api_key", "oauth", "token", "aws-sdk"]),
        email: text("The account"),
      },
      anything("Other properties of the profile"),
    ),
  ),
  order: object(
    "Profile ids for each provider, in order of preference",
    {},
    list("Profile ids in order of preference", text("An id")),
  ),
  cooldowns: object(
    "How long a failing profile is paused",
    {
      failureWindowHours: number("Failures further apart than this do not add up", { min: 0 }),
      billingBackoffHours: number("The pause after a billing error, in hours", { min: 0 }),
      billingMaxHours: number("The longest pause after billing errors, in hours", { min: 0 }),
    },
    anything("Other cooldowns"),
  ),
});
