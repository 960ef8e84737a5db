import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { AttackedService } from "../../scripts/attack/attacked-service.ts";
import { HOLES } from "../../scripts/attack/holes.ts";
import { TOPICS } from "../../scripts/attack/registry.ts";
import { runAttacks } from "../../scripts/attack/run-attacks.ts";

const ROOT = join(import.meta.dirname, "..", "..");

describe("a hole of the attack run", () => {
  test.each(HOLES)("$name belongs to one attack", ({ topic, attack }) => {
    const attacks = TOPICS.find((candidate) => candidate.topic === topic)?.attacks ?? [];
    expect(attacks.filter(({ name }) => name.startsWith(attack))).toHaveLength(1);
  });

  test.each(TOPICS)("shows that the attacks of $topic can fail", ({ topic }) => {
    expect(HOLES.map((hole) => hole.topic)).toContain(topic);
  });
});

test("every topic is in the registry, once", async () => {
  const folder = join(ROOT, "scripts", "attack");
  const files = await readdir(folder);
  const sources = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
  const topicFiles = files.filter((_, index) => sources[index]?.includes("} satisfies Topic;"));
  expect(TOPICS.map(({ topic }) => `${topic}.ts`).sort()).toEqual(topicFiles.sort());
});

describe("an attack run", () => {
  const noErrors = { takeServerErrors: () => [] } as Pick<AttackedService, "takeServerErrors"> as AttackedService;
  const run = async (attack: (typeof TOPICS)[number]["attacks"][number]["run"], service = noErrors) => {
    vi.spyOn(console, "log").mockReturnValue();
    const topics = [{ topic: "test", attacks: [{ name: "one", run: attack }] }];
    return (await runAttacks(service, topics, { short: false })).findings;
  };

  test("without findings", async () => {
    expect(await run(async (_, log) => log.expectStatus("a", { status: 403, text: "" }, 403))).toEqual([]);
  });

  test("finds an answer with another status", async () => {
    const findings = await run(async (_, log) => log.expectStatus("a", { status: 200, text: "{}" }, 403, 404));
    expect(findings).toEqual(["test: one: a: 200 instead of 403 or 404: {}"]);
  });

  test("cannot pass on nothing, and not on an attack that failed", async () => {
    expect(await run(async () => {})).toEqual(["test: one: it tried nothing"]);
    expect(await run(() => Promise.reject(new Error("no answer")))).toEqual([
      "test: one: it could not be carried out: Error: no answer",
    ]);
  });

  test("finds a server error, whatever was expected", async () => {
    const service = { takeServerErrors: () => ["GET / answered 500"] } as unknown as AttackedService;
    const findings = await run(async (_, log) => log.expectStatus("a", { status: 500, text: "" }, 500), service);
    expect(findings).toEqual(["test: one: GET / answered 500"]);
  });
});
