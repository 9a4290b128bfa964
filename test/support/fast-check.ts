/**
 * fast-check with a fixed seed: the same values in every run, so that a change is what breaks a property, not chance.
 * `COLLOQUY_TEST_SEED=… npx vitest run PATH` tries others. A failure prints its seed.
 */
import fc from "fast-check";

fc.configureGlobal({ seed: Number(process.env.COLLOQUY_TEST_SEED ?? 20_261_115) });

export { fc };
