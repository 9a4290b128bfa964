/** Settings of Colloquy's own parts. */
import {
  anything,
  choice,
  either,
  type Field,
  flag,
  list,
  number,
  object,
  secret,
  text,
  whole,
} from "./field.ts";

const DAYS_MAX = 36_500;
const COUNT_MAX = Number.MAX_SAFE_INTEGER;

const limits = {
  max_age_days: whole("Conversations without a message for longer go to the trash", 1, DAYS_MAX),
  max_messages: whole(
    "Of a channel: the quietest conversations go to the trash until the rest is within it",
    1,
    COUNT_MAX,
  ),
  max_bytes: whole("The same, by size in bytes", 1, COUNT_MAX),
};

export const sessions: Field = object("How conversations are kept", {
  format: choice(
    "How JSONL files are written: auto reads every format and writes v2",
    ["auto", "legacy", "v2"],
    "auto",
  ),
  auto_migrate: flag("Rewrite older JSONL files at their first change, with a backup", { default: true }),
  tree_enabled: flag("Whether conversations may have branches", { default: true }),
  tree: object("Limits of branches", {
    max_depth: whole("Branches from branches, at most so deep", 1, 1000, { default: 10 }),
    warning_depth: whole("Deeper ones are made with a warning", 1, 1000, { default: 7 }),
    allow_circular_references: flag("Say nothing about parents that form a circle in imported files", {
      default: false,
    }),
  }),
  retention: object("What may be removed by colloquy sessions retain. Nothing is by default", {
    ...limits,
    trash_days: whole("What was in the trash for longer is purged", 1, DAYS_MAX),
    channels: object("Other limits for single channels", {}, object("Limits of one channel", limits)),
  }),
});

const chunk = {
  min_chunk_size: whole("At least so many characters, but for the last piece", 1, 100_000),
  max_chunk_size: whole("At most so many characters", 1, 100_000),
  prefer_paragraphs: flag("Break between paragraphs where there is a choice"),
  delimiters: list("Where a piece may end, best first", text("A delimiter")),
};

export const streaming: Field = object(
  "How streamed answers are cut into pieces; one entry for each channel",
  {
    default: object("For channels without an entry", {
      ...chunk,
      min_chunk_size: { ...chunk.min_chunk_size, default: 50 },
      max_chunk_size: { ...chunk.max_chunk_size, default: 500 },
      prefer_paragraphs: { ...chunk.prefer_paragraphs, default: true },
    }),
  },
  object("Pieces of one channel", chunk),
);

export const env: Field = object("Variables that texts of the config refer to", {
  shellEnv: either(
    "Take missing variables from the login shell: true, the path of a shell, or { enabled, timeoutMs }",
    flag("Ask the shell of $SHELL"),
    text("The path of the shell to ask"),
    object("In detail", {
      enabled: flag("Ask the shell of $SHELL"),
      timeoutMs: whole("How long to wait", 1, 15_000),
    }),
  ),
  vars: object("Variables that the environment does not have", {}, secret("The value of a variable")),
});

export const meta: Field = object("Written by colloquy config set", {
  lastTouchedVersion: text("The version that changed this file last"),
  lastTouchedAt: either(
    "When it was changed last, in milliseconds since 1970",
    number("Milliseconds"),
    text("ISO 8601"),
  ),
});

const model: Field = object(
  "A model",
  {
    id: text("As the provider calls it"),
    name: text("As people call it"),
    reasoning: flag("Whether it thinks before it answers"),
    input: list("What it takes", choice("A kind of input", ["text", "image"])),
    cost: object(
      "US dollars for a million tokens",
      {
        input: number("Read", { min: 0 }),
        output: number("Written", { min: 0 }),
        cacheRead: number("Read from the cache", { min: 0 }),
        cacheWrite: number("Put into the cache", { min: 0 }),
      },
      anything("Other prices"),
    ),
    contextWindow: whole("Tokens that fit into one request", 1, COUNT_MAX),
    maxTokens: whole("Tokens of one answer", 1, COUNT_MAX),
  },
  anything("Other facts about the model"),
);

export const models: Field = object(
  "Models and their providers",
  {
    default: text("The model that is used where none is named, as provider/model"),
    mode: choice("Whether your models are added to the built-in ones, or replace them", ["merge", "replace"]),
    providers: object(
      "Providers by their id",
      {},
      object(
        "A provider",
        {
          enabled: flag("Whether it is used"),
          baseUrl: text("Where its API is"),
          api: text("Which API it speaks"),
          auth: choice("How it wants to be asked", ["api-key", "aws-sdk", "oauth", "token"]),
          apiKey: secret("Its key; better a variable, or colloquy auth add"),
          headers: object("Sent with every request", {}, secret("The value of a header")),
          models: list("Models beyond the built-in ones", either("A model", text("Its id"), model)),
        },
        anything("Other settings of the provider"),
      ),
    ),
  },
  anything("Other settings of models"),
);

export const auth: Field = object("Which credentials are used, and in which order", {
  profiles: object(
    "Profiles by their id, without their secrets",
    {},
    object(
      "A profile",
      {
        provider: text("The provider it is for"),
        mode: choice("What kind of credential it is", ["api-key", "api_key", "oauth", "token", "aws-sdk"]),
        email: text("Whose account it is"),
      },
      anything("Other facts about the profile"),
    ),
  ),
  order: object("Ids of profiles for each provider, best first", {}, list("Ids of profiles", text("An id"))),
  cooldowns: object(
    "How long a failing profile is left alone",
    {
      failureWindowHours: number("Failures further apart count as the first one", { min: 0 }),
      billingBackoffHours: number("After a billing error", { min: 0 }),
      billingMaxHours: number("After billing errors, at most", { min: 0 }),
    },
    anything("Other cooldowns"),
  ),
});
