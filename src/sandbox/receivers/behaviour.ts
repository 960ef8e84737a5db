import { z } from "zod";
import { DELAY_MAX_MS, InjectedFault } from "#sandbox/injected-fault.ts";

const ANSWERS_MAX = 50;
const BODY_MAX_BYTES = 1024 ** 3;

/** A possible answer of a receiver to a delivery. */
export const ReceiverAnswer = z.strictObject({
  status: z.int().min(200).max(599).default(200),
  headers: InjectedFault.shape.headers,
  body: z.string().max(100_000).optional(),
  /** The length of a body of letters to send instead of `body`. */
  body_bytes: z.int().min(0).max(BODY_MAX_BYTES).optional(),
  /** The milliseconds between two letters of a body without an end. */
  drip_ms: z.int().min(1).max(DELAY_MAX_MS).optional(),
  delay_ms: z.int().min(0).max(DELAY_MAX_MS).optional(),
  /** Whether the receiver leaves the request unanswered for ten minutes. */
  hang: z.boolean().optional(),
  /** Whether the receiver drops the connection instead of answering, before or after it records the delivery. */
  drop: z.enum(["before", "after"]).optional(),
  /** How many deliveries get the answer. All of them when absent. */
  times: z.int().min(1).max(1_000_000).optional(),
  /** The share of deliveries that get the answer. All of them when absent. */
  rate: z.number().min(0).max(1).optional(),
});
export type ReceiverAnswer = z.infer<typeof ReceiverAnswer>;

/**
 * A receiver's behaviour. The receiver gives the first answer that applies; if none does, an empty answer with status
 * 200.
 */
export const ReceiverBehaviour = z.strictObject({
  answers: z.array(ReceiverAnswer).max(ANSWERS_MAX).default([]),
  /** The seed that selects the deliveries for a `rate`. */
  seed: z
    .int()
    .min(0)
    .max(2 ** 31)
    .default(1),
});
export type ReceiverBehaviour = z.infer<typeof ReceiverBehaviour>;

export const HANG_MS = DELAY_MAX_MS;

/** Draws a number from 0 to below 1. The same input gives the same number, so that a seed repeats a run. */
function draw(...numbers: readonly number[]): number {
  let state = 0x9e37_79b9;
  for (const number of numbers) {
    state = Math.imul(state ^ number, 0x85eb_ca6b);
    state = Math.imul(state ^ (state >>> 13), 0xc2b2_ae35);
    state ^= state >>> 16;
  }
  return (state >>> 0) / 2 ** 32;
}

/** The answer to a delivery, and the receiver's behaviour afterwards. */
export function chooseAnswer(
  behaviour: ReceiverBehaviour,
  seq: number,
): { readonly answer: ReceiverAnswer; readonly next: ReceiverBehaviour } {
  const index = behaviour.answers.findIndex(
    ({ rate }, position) => rate === undefined || draw(behaviour.seed, seq, position) < rate,
  );
  const answer = behaviour.answers[index];
  if (!answer) {
    return { answer: { status: 200 }, next: behaviour };
  }
  const left = answer.times === undefined ? [answer] : answer.times > 1 ? [{ ...answer, times: answer.times - 1 }] : [];
  return { answer, next: { ...behaviour, answers: behaviour.answers.toSpliced(index, 1, ...left) } };
}
