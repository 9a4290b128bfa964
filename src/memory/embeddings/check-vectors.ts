import { ColloquyError, invalid } from "../../errors.ts";
import { type EmbeddingProvider, wrapped } from "./provider.ts";

/** The longest text that is sent, in characters. Models that take more are rare. */
const CHARS_MAX = 100_000;

/** Check texts before they are sent, and the vectors that come back. */
export function checking(provider: EmbeddingProvider): EmbeddingProvider {
  return wrapped(provider, async (texts, options) => {
    for (const text of texts) checkInput(text);
    if (texts.length === 0) return [];
    const vectors = await provider.embedBatch(texts, options);
    if (vectors.length !== texts.length) {
      throw wrongAnswer(provider, `${texts.length} texts were sent and ${vectors.length} vectors came back`);
    }
    return vectors.map((vector) => unitVector(vector, provider));
  });
}

function checkInput(text: unknown): void {
  if (typeof text !== "string") throw invalid("A text to embed must be a string", "text");
  if (text.trim() === "") throw invalid("A text to embed must not be empty", "text");
  if (text.length > CHARS_MAX) {
    throw invalid(`A text to embed must have at most ${CHARS_MAX} characters`, "text");
  }
}

/** The vector with the length 1, so that a product of two is their cosine. */
function unitVector(vector: Float32Array, provider: EmbeddingProvider): Float32Array {
  const { name, model, dimensions } = provider;
  if (vector.length !== dimensions) {
    throw new ColloquyError(
      "VALIDATION_ERROR",
      `${model} of ${name} returned vectors of ${vector.length} dimensions instead of ${dimensions}: set dimensions to ${vector.length}, or choose another model`,
      { field: "dimensions", details: { expected: dimensions, actual: vector.length } },
    );
  }
  let square = 0;
  for (const value of vector) square += value * value;
  if (!Number.isFinite(square)) throw wrongAnswer(provider, "a vector contains NaN or an infinite number");
  if (square === 0) throw wrongAnswer(provider, "a vector contains only zeros");
  const length = Math.sqrt(square);
  return Float32Array.from(vector, (value) => value / length);
}

function wrongAnswer({ name, model }: EmbeddingProvider, what: string): ColloquyError {
  return new ColloquyError("SERVICE_UNAVAILABLE", `${model} of ${name} returned a wrong answer: ${what}`);
}
