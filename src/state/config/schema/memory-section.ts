import { choice, either, type Field, flag, KEPT, list, object, path, secret, text, whole } from "./field.ts";

const PROVIDERS = ["openai", "gemini", "ollama", "openai-compatible"];

const embedding = {
  provider: choice("The provider; without one, memory is searched by words", PROVIDERS),
  model: text("The model; by default the usual one of the provider"),
  dimensions: whole("The number of dimensions of a vector; known for the usual models", 1, 8192),
  apiToken: secret("The API token; prefer a variable, or colloquy auth add"),
  baseUrl: text("The URL of the API"),
  localPath: text("A model server on this machine: its Unix socket or its URL"),
};

export const search: Field = object("Search over conversations", {
  semantic: flag("Search by meaning, too, with memory.embedding: messages are sent to its provider"),
});

export const memory: Field = object(
  "Notes and files that are found by words and by meaning",
  {
    path: path("Where memory is stored; by default memory.db in the state folder"),
    paths: list("The files and folders of colloquy memory index", path("A Markdown file or a folder")),
    embedding: object(
      "Embeddings",
      {
        ...embedding,
        fallback: either(
          "The provider to use if the first one fails",
          choice("Its name", PROVIDERS),
          object("Its settings", embedding, KEPT),
        ),
      },
      KEPT,
    ),
  },
  KEPT,
);
