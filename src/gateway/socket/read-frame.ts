/** The frames that clients send. */
import { checkInput } from "../../agent/index.ts";
import { invalid } from "../../errors.ts";
import { isJsonObject, parseJson } from "../../util/json.ts";
import { checkJson } from "../http/check-json.ts";
import type { RequestFrame } from "../wire/frames.ts";

const FRAME = {
  type: "object",
  properties: {
    type: { const: "req" },
    id: { type: "string", minLength: 1, maxLength: 128 },
    method: { type: "string", minLength: 1, maxLength: 64 },
    params: { type: "object" },
  },
  required: ["type", "id", "method"],
  additionalProperties: false,
} as const;

/** Throws for everything else, so that an answer always has an id. */
export function readFrame(text: string): RequestFrame {
  const frame = parseJson(text);
  if (frame === undefined || !isJsonObject(frame)) throw invalid("A frame must be a JSON object", "frame");
  checkJson(frame, "frame");
  checkInput(FRAME, frame);
  return { params: {}, ...(frame as object) } as RequestFrame;
}
