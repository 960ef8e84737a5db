import { describe, test } from "vitest";
import { simulators } from "#sandbox/registry.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import { findOperation, findUnaccepted, type Operation, refuseUnaccepted } from "#sandbox/operation.ts";
import { operationsDocument } from "../../scripts/sandbox-operations-document.ts";
import document from "../../docs/sandbox-operations.md?raw";

/* What every simulator refuses before it acts: each operation is tried with one thing too many. */

const CASES = Object.values(simulators).flatMap(({ platform, rules }) =>
  rules.operations.map((operation) => ({
    platform,
    name: `${operation.method} ${operation.hosts[0]}${operation.path}`,
    operation,
    operations: rules.operations,
  })),
);

const EXAMPLE_MEMBER = "text";
const FORM = "application/x-www-form-urlencoded";

/** An address of the operation, with any value in the place of each name. */
function addressOf({ hosts: [host = ""], path }: Operation): URL {
  const concrete = path.replaceAll(/\{\w+\.\.\.\}/g, "a/b").replaceAll(/\{\w+\}/g, "1");
  return new URL(`https://${host.replace("*", "a")}${concrete}`);
}

function requestTo(operation: Operation, change: (url: URL, headers: Headers) => string | null = () => null): Request {
  const url = addressOf(operation);
  const headers = new Headers({ "user-agent": "Almanac/1.0 (+https://post.example.org)" });
  for (const name of operation.headers ?? []) {
    headers.set(name, "1");
  }
  const body = change(url, headers);
  return new Request(url, { method: operation.method, headers, body });
}

describe.each(CASES)("$platform: $name", ({ operation, operations }) => {
  test("is the operation that its address calls", ({ expect }) => {
    expect(findOperation(operations, operation.method, addressOf(operation))).toBe(operation);
  });

  test("names a source outside this repository", ({ expect }) => {
    expect(URL.parse(operation.source)?.protocol).toBe("https:");
  });

  test("accepts a request with nothing but what it requires", async ({ expect }) => {
    expect(await findUnaccepted(operation, requestTo(operation))).toBeUndefined();
  });

  test("accepts an empty body, as a call over HTTP without one has it", async ({ expect }) => {
    const { url, method, headers } = requestTo(operation);
    const body = method === "GET" || method === "HEAD" ? null : new Blob([]).stream();
    expect(await findUnaccepted(operation, new Request(url, { method, headers, body }))).toBeUndefined();
  });

  test("refuses an unknown parameter", async ({ expect }) => {
    const request = requestTo(operation, (url) => {
      url.searchParams.set("mood", "1");
      return null;
    });
    expect(await findUnaccepted(operation, request)).toEqual({ kind: "unknown_parameter", name: "mood" });
  });

  test("refuses a parameter that is given twice", async ({ expect }) => {
    const name = operation.query?.find((one) => !operation.repeatable?.includes(one));
    const request = requestTo(operation, (url) => {
      url.search = `${name}=1&${name}=2`;
      return null;
    });
    expect(await findUnaccepted(operation, request)).toMatchObject(
      name === undefined ? { kind: "unknown_parameter" } : { kind: "repeated_parameter", name },
    );
  });

  test.skipIf(operation.method === "GET" || operation.method === "HEAD" || operation.body?.types.includes("bytes"))(
    "refuses a body member that it does not know, or any body where it takes none",
    async ({ expect }) => {
      const isJson = operation.body?.types.includes("json") === true && !operation.body.types.includes("form");
      const isMultipart = operation.body?.types.every((type) => type === "multipart") === true;
      const request = isMultipart
        ? await (async () => {
            const form = new FormData();
            form.set("mood", "1");
            const base = requestTo(operation);
            const headers = new Headers(base.headers);
            return new Request(base.url, { method: operation.method, headers, body: form });
          })()
        : requestTo(operation, (_url, headers) => {
            headers.set("content-type", isJson ? "application/json" : FORM);
            return isJson ? JSON.stringify({ mood: 1 }) : "mood=1";
          });
      expect(await findUnaccepted(operation, request)).toEqual(
        operation.body ? { kind: "unknown_member", name: "mood" } : { kind: "unexpected_body", name: FORM },
      );
    },
  );

  test.skipIf(operation.isPage)("refuses a call that does not name its caller", async ({ expect }) => {
    for (const agent of ["", "undici", "Almanac/1.0"]) {
      const request = requestTo(operation, (_url, headers) => {
        headers.set("user-agent", agent);
        return null;
      });
      expect(await findUnaccepted(operation, request)).toMatchObject({ kind: "user_agent" });
    }
  });

  test.runIf(operation.headers)("refuses a call without a header that it requires", async ({ expect }) => {
    for (const name of operation.headers ?? []) {
      const request = requestTo(operation, (_url, headers) => {
        headers.delete(name);
        return null;
      });
      expect(await findUnaccepted(operation, request)).toEqual({ kind: "missing_header", name });
    }
  });
});

describe("members of a JSON body", () => {
  const operation: Operation = {
    method: "POST",
    hosts: ["api.example.com"],
    path: "/posts",
    body: { types: ["json"], members: [EXAMPLE_MEMBER, "media.ids[]", "tags[].name", "settings.*"] },
    source: "https://example.com",
  };
  test.for<[body: unknown, unknown: string | undefined]>([
    [{ text: "a", media: { ids: ["1", "2"] }, tags: [{ name: "a" }], settings: { any: { thing: [1] } } }, undefined],
    [{ media: { ids: ["1"], size: 1 } }, "media.size"],
    [{ tags: [{ name: "a" }, { name: "b", color: 1 }] }, "tags[].color"],
    [{ text: { a: 1 } }, "text.a"],
  ])("%j", async ([body, unknown], { expect }) => {
    const request = requestTo(operation, (_url, headers) => {
      headers.set("content-type", "application/json");
      return JSON.stringify(body);
    });
    expect(await findUnaccepted(operation, request)).toEqual(
      unknown === undefined ? undefined : { kind: "unknown_member", name: unknown },
    );
  });
});

test("a simulator that checks requests itself is not asked to refuse them before", async ({ expect }) => {
  const request = new Request("https://mastodon.example/api/v2/instance?mood=1");
  const sim = {} as SimulatorContext;
  expect(await refuseUnaccepted(simulators.mastodon.rules, request, sim)).toBeUndefined();
});

test("docs/sandbox-operations.md is up to date: npm run sandbox:operations", ({ expect }) => {
  expect(document).toBe(operationsDocument(simulators));
});
