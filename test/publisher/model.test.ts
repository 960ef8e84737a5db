import * as fc from "fast-check";
import { afterEach, beforeEach, test } from "vitest";
import { SECOND } from "#core/clock.ts";
import { setFailpointHook } from "#core/failpoint.ts";
import { commandSequences } from "./model-commands.ts";
import { ModelRunner } from "./model-runner.ts";
import { silenceLogs, PublisherHarness } from "./publisher-harness.ts";

/*
 * Random command sequences against the invariants of docs/how-it-works.md: previews, concurrent confirms, edits, cancels,
 * clock moves, alarms, crons, crashes at every failpoint, lost storage, a failing database and every answer of a platform.
 * A longer run: VITE_MODEL_RUNS=500 npx vitest run test/publisher/model.test.ts
 */

const RUNS = Number(import.meta.env["VITE_MODEL_RUNS"] ?? 30);
const STEPS = 60;

beforeEach(silenceLogs);
afterEach(() => setFailpointHook(undefined));

test(
  `${RUNS} random command sequences keep every invariant`,
  async () => {
    await fc.assert(
      fc.asyncProperty(commandSequences(STEPS), async (commands) => {
        await new ModelRunner(await PublisherHarness.open()).run(commands);
      }),
      { numRuns: RUNS },
    );
  },
  60 * SECOND + RUNS * 5 * SECOND,
);
