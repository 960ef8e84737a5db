import * as fc from "fast-check";
import { afterEach, beforeEach, test } from "vitest";
import { SECOND } from "#core/clock.ts";
import { setFailpointHook } from "#core/failpoint.ts";
import { lives } from "./model-commands.ts";
import { ModelRunner } from "./model-runner.ts";
import { quiet, PublisherHarness } from "./publisher-harness.ts";

/*
 * Random lives of posts against the invariants of docs/how-it-works.md: previews, racing confirms, edits, cancels, clocks,
 * alarms, crons, crashes at every named point, lost storage, a failing database and every answer a platform can give.
 * For longer: VITE_MODEL_RUNS=500 npx vitest run test/publisher/model.test.ts
 */

const RUNS = Number(import.meta.env["VITE_MODEL_RUNS"] ?? 30);
const STEPS = 60;

beforeEach(quiet);
afterEach(() => setFailpointHook(undefined));

test(
  `${RUNS} random lives keep every promise`,
  async () => {
    await fc.assert(
      fc.asyncProperty(lives(STEPS), async (commands) => {
        await new ModelRunner(await PublisherHarness.open()).run(commands);
      }),
      { numRuns: RUNS },
    );
  },
  60 * SECOND + RUNS * 5 * SECOND,
);
