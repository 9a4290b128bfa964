import { describe, expect, it } from "vitest";
import { meanScores, percentile, scoresOf } from "../../eval/recall/metrics.ts";
import type { MessageRef } from "../../eval/recall/set.ts";

/** `a1 a2 b7`: the messages 1 and 2 of the conversation a, and the message 7 of b. */
function refs(text: string): MessageRef[] {
  return text.split(" ").map((word) => ({ conversation: word.slice(0, 1), message: word.slice(1) }));
}

describe("the scores of a question", () => {
  it("count a hit at the first place everywhere", () => {
    const all = { hit1: 1, hit5: 1, recall10: 1 };
    expect(scoresOf(refs("a1 b2"), refs("a1"))).toEqual({ message: all, conversation: all, ranks: [1] });
  });

  it("count the first five and the first ten", () => {
    const found = refs("a1 a2 a3 a4 a5 a6 a7 a8 a9 b1 b2");
    expect(scoresOf(found, refs("a5")).message).toEqual({ hit1: 0, hit5: 1, recall10: 1 });
    expect(scoresOf(found, refs("a6")).message).toEqual({ hit1: 0, hit5: 0, recall10: 1 });
    expect(scoresOf(found, refs("b1")).message).toEqual({ hit1: 0, hit5: 0, recall10: 1 });
    expect(scoresOf(found, refs("b2")).message).toEqual({ hit1: 0, hit5: 0, recall10: 0 });
  });

  it("rank conversations by their first message", () => {
    // By conversation the order is a, b, c.
    const { conversation } = scoresOf(refs("a1 a2 a3 b1 a4 c1"), refs("c9"));
    expect(conversation).toEqual({ hit1: 0, hit5: 1, recall10: 1 });
  });

  it("find a share of several answers", () => {
    const { message, conversation, ranks } = scoresOf(refs("a1 b2 a3"), refs("a3 b2 c4 c5"));
    expect(message).toEqual({ hit1: 0, hit5: 1, recall10: 0.5 });
    expect(conversation).toEqual({ hit1: 1, hit5: 1, recall10: 2 / 3 });
    expect(ranks).toEqual([3, 2, null, null]);
  });

  it("count a message once, however many entries of it were found", () => {
    expect(scoresOf(refs("a1 a1 a1 b2"), refs("b2")).ranks).toEqual([2]);
  });

  it("tell equal ids of two conversations apart", () => {
    expect(scoresOf(refs("a1"), refs("b1")).message).toEqual({ hit1: 0, hit5: 0, recall10: 0 });
  });

  it("are zero when nothing was found", () => {
    const none = { hit1: 0, hit5: 0, recall10: 0 };
    expect(scoresOf([], refs("a1"))).toEqual({ message: none, conversation: none, ranks: [null] });
  });
});

describe("the mean of scores", () => {
  it("is taken question by question", () => {
    const scores = [
      { hit1: 1, hit5: 1, recall10: 1 },
      { hit1: 0, hit5: 1, recall10: 0.5 },
      { hit1: 0, hit5: 0, recall10: 0 },
      { hit1: 0, hit5: 1, recall10: 0.5 },
    ];
    expect(meanScores(scores)).toEqual({ hit1: 0.25, hit5: 0.75, recall10: 0.5 });
  });
});

describe("a percentile", () => {
  it("is a value that was measured", () => {
    const values = Array.from({ length: 20 }, (_, index) => 20 - index);
    expect([percentile(values, 0.5), percentile(values, 0.95), percentile([7], 0.95)]).toEqual([10, 19, 7]);
  });
});
