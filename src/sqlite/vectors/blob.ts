/** Vectors as SQLite and sqlite-vec hold them: 32-bit floats, little-endian, as on every machine that Node runs on. */

const FLOAT_BYTES = Float32Array.BYTES_PER_ELEMENT;

export function blobOf(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}

export function vectorOf(blob: unknown): Float32Array | undefined {
  if (!(blob instanceof Uint8Array) || blob.byteLength % FLOAT_BYTES !== 0) return undefined;
  const bytes = blob.byteOffset % FLOAT_BYTES === 0 ? blob : blob.slice();
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / FLOAT_BYTES);
}

/** One bit for each number: whether it is above zero. Vectors that point the same way differ in few bits. */
export function bitsOf(vector: Float32Array): Uint8Array {
  const bits = new Uint8Array(Math.ceil(vector.length / 8));
  for (let index = 0; index < vector.length; index++) {
    if ((vector[index] as number) > 0) bits[index >> 3] = (bits[index >> 3] as number) | (1 << (index & 7));
  }
  return bits;
}

/** The cosine of two vectors of length 1. */
export function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < one.length; index++) sum += (one[index] as number) * (other[index] as number);
  return sum;
}
