import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MINUTE, SECOND } from "#core/clock.ts";
import { setFailpointHook } from "#core/failpoint.ts";
import { PublisherHarness, silenceLogs } from "./publisher-harness.ts";

beforeEach(silenceLogs);
afterEach(() => setFailpointHook(undefined));

/** What another deployment may have left: an unknown format, or a member that is missing. */
const UNREADABLE: readonly [string, (stored: object) => object][] = [
  ["of a later format", (stored) => ({ ...stored, format: 99 })],
  ["without its members", () => ({ format: 1 })],
];

describe.each(UNREADABLE)("an unreadable journal (%s) counts as lost", (_, change) => {
  test.each(["t:", "state", ""])("(keys %j) what was accepted is found, not sent again", async (prefix) => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    setFailpointHook((point) => {
      if (point === "commit.after_send") {
        setFailpointHook(undefined);
        harness.kill(id);
        throw new Error("killed");
      }
    });
    await harness.runAlarms(id, MINUTE);
    await harness.changeStored(id, prefix, change);
    await harness.recover(id);
    expect(harness.x.acceptedFor(id)).toHaveLength(1);
    expect(await harness.readPost(id)).toMatchObject({ status: "published" });
    expect(await harness.storedKeys(id)).toEqual([]);
  });

  test("a target in retry_wait is verified before it is sent", async () => {
    const harness = await PublisherHarness.open();
    // One of two targets is public, so that the post stays publishing.
    const id = await harness.createPost({ on: ["x", "linkedin"] });
    harness.x.commitBehaviours.push("rate_limited");
    await harness.runAlarms(id, MINUTE + SECOND);
    await harness.changeStored(id, "t:", change);
    await harness.recover(id);
    expect(harness.x.callCount("verify")).toBeGreaterThan(0);
    expect(harness.x.acceptedFor(id)).toHaveLength(1);
  });

  test("a scheduled post is published once, by the next run of the cron at the latest", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    await harness.changeStored(id, "state", change);
    await harness.recover(id);
    expect(harness.x.acceptedFor(id)).toHaveLength(1);
    expect(await harness.readPost(id)).toMatchObject({ status: "published" });
  });
});
