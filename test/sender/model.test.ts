import * as fc from "fast-check";
import { afterEach, beforeEach, test } from "vitest";
import { DAY, MINUTE } from "#core/clock.ts";
import { setFailpointHook } from "#core/failpoint.ts";
import { silenceLogs } from "../publisher/publisher-harness.ts";
import { openSender, passTime, startAtNoon } from "./sender-harness.ts";

/* Events, failures, kills and restarts in any order: at the end the receiver has every event, in the order of each post, and no other. */

beforeEach(() => {
  startAtNoon();
  silenceLogs();
});
afterEach(() => setFailpointHook(undefined));

const POINTS = ["webhook.before_store", "webhook.after_store", "webhook.before_send", "webhook.before_record"] as const;

const command = fc.oneof(
  fc.record({
    do: fc.constant("emit" as const),
    subjects: fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 4 }),
  }),
  fc.record({ do: fc.constant("answer" as const), status: fc.constantFrom(200, 302, 404, 429, 500, 503) }),
  fc.record({ do: fc.constant("kill" as const), point: fc.constantFrom(...POINTS) }),
  fc.record({ do: fc.constant("run" as const) }),
  fc.record({ do: fc.constant("restart" as const) }),
  fc.record({ do: fc.constant("pass" as const), minutes: fc.integer({ min: 1, max: 120 }) }),
);

test("every event arrives, first tries in the order of each post, none invented", async ({ expect }) => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 25 }), async (commands) => {
      startAtNoon();
      const { receiver, run, emit, restart, sender } = await openSender();
      const subjectOf = new Map<string, string>();
      const arrived = new Set<string>();
      let status = 200;
      receiver.answer = ({ eventId }) => {
        if (status === 200) {
          arrived.add(eventId);
        }
        return new Response(null, { status });
      };
      for (const next of commands) {
        switch (next.do) {
          case "emit": {
            const ids = await emit(next.subjects);
            for (const [index, id] of ids.entries()) {
              subjectOf.set(id, next.subjects[index]!);
            }
            break;
          }
          case "answer":
            ({ status } = next);
            break;
          case "kill": {
            let isSpent = false;
            setFailpointHook((point) => {
              if (point === next.point && !isSpent) {
                isSpent = true;
                throw new Error("killed");
              }
            });
            break;
          }
          case "run":
            await run();
            break;
          case "restart":
            await restart();
            break;
          case "pass":
            passTime(next.minutes * MINUTE);
            break;
        }
      }
      setFailpointHook(undefined);
      status = 200;
      for (let day = 0; day < 3; day += 1) {
        passTime(DAY * 1.25);
        await run();
      }
      expect([...arrived].toSorted()).toEqual([...subjectOf.keys()].toSorted());
      const firstTries = [...new Set(receiver.eventIds)];
      for (const subject of ["a", "b", "c"]) {
        const ofSubject = (ids: Iterable<string>) => [...ids].filter((id) => subjectOf.get(id) === subject);
        expect(ofSubject(firstTries)).toEqual(ofSubject(subjectOf.keys()));
      }
      expect(await sender.health()).toMatchObject({ pending: 0 });
    }),
    { numRuns: 25 },
  );
}, 60_000);
