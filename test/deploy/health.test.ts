import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, onTestFinished, test } from "vitest";
import { DeployFailure } from "../../scripts/deploy/failure.ts";
import { refuseUnhealthy, waitForVersion } from "../../scripts/deploy/health.ts";

/** A service that gives these answers one after the other, and then always the last one. */
async function serviceSaying(
  ...answers: readonly { readonly status?: number; readonly body: unknown }[]
): Promise<string> {
  let nth = 0;
  const server = createServer((_request, response) => {
    const { status = 200, body } = answers[Math.min(nth, answers.length - 1)] ?? { body: {} };
    nth += 1;
    response.writeHead(status, { "content-type": "application/json" });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const OLD = { body: { status: "ok", version: "1.0.0" } };
const NEW = { body: { status: "ok", version: "1.1.0" } };
const SOON = { timeoutMs: 50, intervalMs: 10 };

describe("after an upload", () => {
  test("the version is there as soon as the address says it", async ({ expect }) => {
    const origin = await serviceSaying(OLD, { status: 404, body: "not yet" }, NEW);
    expect(await waitForVersion(origin, "1.1.0", { intervalMs: 10 })).toBeNull();
  });

  test.for([
    ["another version", OLD, "1.0.0"],
    ["an error", { status: 503, body: { status: "down", version: "1.1.0" } }, "HTTP 503"],
    ["something else than JSON", { body: "<h1>There is nothing here yet</h1>" }, "no answer"],
  ] as const)("%s is not the version", async ([, answer, said], { expect }) => {
    expect(await waitForVersion(await serviceSaying(answer), "1.1.0", SOON)).toBe(said);
  });

  test("an address that nobody answers is not the version", async ({ expect }) => {
    expect(await waitForVersion("http://127.0.0.1:1", "1.1.0", SOON)).toBe("no answer");
  });

  const unhealthy = {
    origin: "https://posts.example.com",
    version: "1.1.0",
    said: "1.0.0",
    accountId: "a",
  };

  test("the way back is named where nobody can be asked", async ({ expect }) => {
    const refused = refuseUnhealthy({ ...unhealthy, previousVersionId: "id-of-1.0.0" });
    await expect(refused).rejects.toBeInstanceOf(DeployFailure);
    await expect(refused).rejects.toMatchObject({
      message: "https://posts.example.com/health did not say 1.1.0 within a minute, but: 1.0.0",
      next: "look at it, or go back with: npx wrangler rollback id-of-1.0.0 --config wrangler.deploy.toml",
    });
  });

  test("a first deployment has nowhere to go back to", async ({ expect }) => {
    await expect(refuseUnhealthy({ ...unhealthy, previousVersionId: null })).rejects.toMatchObject({
      next: expect.stringContaining("a new address can take some minutes"),
    });
  });
});
