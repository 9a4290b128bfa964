/** The generateContent API of Google. */
import type { ServerResponse } from "node:http";
import type { JsonObject } from "../../../src/util/json.ts";
import { objectIn, objectsIn, textIn } from "../../../src/util/values.ts";
import { answerTo, type Turn } from "./plan.ts";
import { newId, sendJson, streamOf, textOf, tokensIn } from "./wire.ts";

export function generate(
  body: JsonObject,
  response: ServerResponse,
  modelVersion: string,
  streams: boolean,
): void {
  const schema = objectIn(objectIn(body.generationConfig)?.responseJsonSchema);
  const parts = schema === undefined ? partsOf(body) : [{ text: JSON.stringify(sampleOf(schema)) }];
  const promptTokenCount = tokensIn(body.contents);
  const usageMetadata = {
    promptTokenCount,
    candidatesTokenCount: 10,
    totalTokenCount: promptTokenCount + 10,
  };
  const responseId = newId("gen");
  const piece = (some: readonly JsonObject[], finishReason?: string): JsonObject => ({
    candidates: [
      { index: 0, content: { role: "model", parts: some }, ...(finishReason && { finishReason }) },
    ],
    ...{ usageMetadata, modelVersion, responseId },
  });
  if (!streams) {
    sendJson(response, piece(parts, "STOP"));
    return;
  }
  const send = streamOf(response);
  for (const part of parts) send(undefined, piece([part]));
  send(undefined, piece([{ text: "" }], "STOP"));
  response.end();
}

function partsOf(body: JsonObject): JsonObject[] {
  const { thoughts, texts, calls } = answerTo(objectsIn(body.contents).map(turnOf));
  return [
    ...thoughts.map((text) => ({ text: `**${text}** ${text}`, thought: true })),
    ...texts.map((text) => ({ text })),
    ...calls.map(({ name, input }) => ({
      functionCall: { name, args: input as JsonObject, id: newId("fc") },
    })),
  ];
}

function turnOf({ role, parts }: JsonObject): Turn {
  const isResult = objectsIn(parts).some(({ functionResponse }) => functionResponse !== undefined);
  return { role: role === "model" ? "assistant" : isResult ? "tool" : "user", text: textOf(parts) };
}

/** A value that a schema accepts, for requests that want JSON. */
function sampleOf(schema: JsonObject): unknown {
  if (Array.isArray(schema.enum)) return schema.enum.includes("user") ? "user" : schema.enum[0];
  switch (String(textIn(schema.type) ?? "object").toLowerCase()) {
    case "object":
      return Object.fromEntries(
        Object.entries(objectIn(schema.properties) ?? {}).map(([name, inner]) => [
          name,
          sampleOf(objectIn(inner) ?? {}),
        ]),
      );
    case "array":
      return [];
    case "boolean":
      return true;
    case "number":
    case "integer":
      return schema.minimum ?? 1;
    default:
      return "sample";
  }
}
