import { describe, onTestFinished, test } from "vitest";
import { CloudflareApi } from "./cloudflare-api.ts";
import { Operator } from "./operator.ts";
import { RunningUpload } from "./run-uploaded.ts";

const ORIGIN = "https://almanac.ada.workers.dev";

describe("what npm run deploy uploads", { timeout: 180_000 }, () => {
  test("is the service: it says its version, and lets in who has the printed link", async ({ expect }) => {
    const api = new CloudflareApi();
    let upload: RunningUpload | undefined;
    api.answer = async (worker, request) => {
      upload ??= await RunningUpload.start(worker, api.account.database("almanac"));
      return upload.fetch(request);
    };
    await api.start();
    const operator = await Operator.withWholeClone(api);
    onTestFinished(async () => {
      await upload?.stop();
      await api.stop();
      await operator.remove();
    });

    const run = await operator.deploy();
    expect(run.code, run.output).toBe(0);
    expect(api.unknown).toEqual([]);

    const { modules } = api.account.worker("almanac").current;
    const named = (pattern: RegExp): string[] => modules.map(({ name }) => name).filter((name) => pattern.test(name));
    expect(modules[0]?.name).toBe("index.mjs");
    expect(named(/^(mcp|browser-pages|stripe|esm)\b.*\.mjs$/)).toHaveLength(4);
    expect(named(/\.mjs\.map$/)).toEqual(named(/\.mjs$/).map((name) => `${name}.map`));

    const link = /https:\S+\/signup\?setup_code=(\S+)/.exec(run.output);
    const page = await upload?.fetch(new Request(link?.[0] ?? ORIGIN));
    expect(await page?.text()).toContain(`value="${link?.[1]}"`);
    const signUp = (setupCode: string) => {
      const fields = {
        setup_code: setupCode,
        email: "ada@example.com",
        password: "four unrelated words here",
        time_zone: "UTC",
      };
      return upload?.fetch(new Request(`${ORIGIN}/signup`), {
        method: "POST",
        headers: { origin: ORIGIN, "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams(fields).toString(),
      });
    };
    expect((await signUp("guessed"))?.status).toBe(400);
    expect((await signUp(link?.[1] ?? ""))?.status).toBe(303);
    expect((await signUp(link?.[1] ?? ""))?.status).toBe(400);
    const api404 = await upload?.fetch(new Request(`${ORIGIN}/v1/nothing`));
    expect([api404?.status, api404?.headers.get("almanac-version")]).toEqual([
      404,
      expect.stringMatching(/^\d+\.\d+\.\d+/),
    ]);
  });
});
