import { describe, test } from "vitest";
import { simulators } from "#sandbox/registry.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import { findOperation, findUnaccepted, type Operation, refuseUnaccepted } from "#sandbox/operation.ts";
import { operationsDocument } from "../../scripts/sandbox-operations-document.ts";
import document from "../../docs/sandbox-operations.md?raw";

/* What every simulator refuses before it acts: each operation is tried with one thing too many. */

const CASES = Object.values(simulators).flatMap(({ platform, rules }) =>
  rules.operations.map((operation) => ({
    name: `${platform}: ${operation.method} ${operation.hosts[0]}${operation.path}`,
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

function multipartRequestTo(operation: Operation): Request {
  const body = new FormData();
  body.set("mood", "1");
  const { url, headers } = requestTo(operation);
  return new Request(url, { method: operation.method, headers, body });
}

describe("every operation", () => {
  test("is the operation that its address calls", ({ expect }) => {
    for (const { name, operation, operations } of CASES) {
      expect(findOperation(operations, operation.method, addressOf(operation)), name).toBe(operation);
    }
  });

  test("names a source outside this repository", ({ expect }) => {
    for (const { name, operation } of CASES) {
      expect(URL.parse(operation.source)?.protocol, name).toBe("https:");
    }
  });

  test("accepts a request with nothing but what it requires", async ({ expect }) => {
    for (const { name, operation } of CASES) {
      expect(await findUnaccepted(operation, requestTo(operation)), name).toBeUndefined();
    }
  });

  test("accepts an empty body, as a call over HTTP without one has it", async ({ expect }) => {
    for (const { name, operation } of CASES) {
      const { url, method, headers } = requestTo(operation);
      const body = method === "GET" || method === "HEAD" ? null : new Blob([]).stream();
      const request = new Request(url, { method, headers, body });
      expect(await findUnaccepted(operation, request), name).toBeUndefined();
    }
  });

  test("refuses an unknown parameter", async ({ expect }) => {
    for (const { name, operation } of CASES) {
      const request = requestTo(operation, (url) => {
        url.searchParams.set("mood", "1");
        return null;
      });
      expect(await findUnaccepted(operation, request), name).toEqual({ kind: "unknown_parameter", name: "mood" });
    }
  });

  test("refuses a parameter that is given twice", async ({ expect }) => {
    for (const { name, operation } of CASES) {
      const parameter = operation.query?.find((one) => !operation.repeatable?.includes(one));
      const request = requestTo(operation, (url) => {
        url.search = `${parameter}=1&${parameter}=2`;
        return null;
      });
      expect(await findUnaccepted(operation, request), name).toMatchObject(
        parameter === undefined ? { kind: "unknown_parameter" } : { kind: "repeated_parameter", name: parameter },
      );
    }
  });

  test("refuses a body member that it does not know, or any body where it takes none", async ({ expect }) => {
    const taking = CASES.filter(
      ({ operation: { method, body } }) => method !== "GET" && method !== "HEAD" && !body?.types.includes("bytes"),
    );
    for (const { name, operation } of taking) {
      const isJson = operation.body?.types.includes("json") === true && !operation.body.types.includes("form");
      const isMultipart = operation.body?.types.every((type) => type === "multipart") === true;
      const request = isMultipart
        ? multipartRequestTo(operation)
        : requestTo(operation, (_url, headers) => {
            headers.set("content-type", isJson ? "application/json" : FORM);
            return isJson ? JSON.stringify({ mood: 1 }) : "mood=1";
          });
      expect(await findUnaccepted(operation, request), name).toEqual(
        operation.body ? { kind: "unknown_member", name: "mood" } : { kind: "unexpected_body", name: FORM },
      );
    }
  });

  test("refuses a call that does not name its caller, unless it is a page", async ({ expect }) => {
    for (const { name, operation } of CASES.filter(({ operation: { isPage } }) => isPage !== true)) {
      for (const agent of ["", "undici", "Almanac/1.0"]) {
        const request = requestTo(operation, (_url, headers) => {
          headers.set("user-agent", agent);
          return null;
        });
        expect(await findUnaccepted(operation, request), `${name}, ${agent}`).toMatchObject({ kind: "user_agent" });
      }
    }
  });

  test("refuses a call without a header that it requires", async ({ expect }) => {
    for (const { name, operation } of CASES) {
      for (const header of operation.headers ?? []) {
        const request = requestTo(operation, (_url, headers) => {
          headers.delete(header);
          return null;
        });
        expect(await findUnaccepted(operation, request), name).toEqual({ kind: "missing_header", name: header });
      }
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
