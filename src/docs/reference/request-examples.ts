import { type ApiDocument, parameterOf, type PlacedOperation } from "./document.ts";

/** An example request. It comes from the OpenAPI document, so that guides, tools and these pages show the same one. */
export interface ExampleRequest {
  readonly method: string;
  readonly url: string;
  readonly body: unknown;
}

function exampleOf(schema: { readonly example?: unknown } | undefined, name: string): string {
  const example = schema?.example;
  return typeof example === "string" || typeof example === "number" ? String(example) : `{${name}}`;
}

/** The example request of an operation. Null if the document has no example for a required value. */
export function exampleRequest(document: ApiDocument, { method, path, operation }: PlacedOperation): ExampleRequest {
  const parameters = (operation.parameters ?? []).map((parameter) => parameterOf(document, parameter));
  let filled = path;
  const query = new URLSearchParams();
  for (const { name, in: place, required, schema, example } of parameters) {
    const value = exampleOf(example === undefined ? schema : { example }, name);
    if (place === "path") {
      filled = filled.replace(`{${name}}`, value);
    } else if (place === "query" && required === true) {
      query.set(name, value);
    }
  }
  const content = operation.requestBody?.content["application/json"];
  const search = query.size > 0 ? `?${query.toString()}` : "";
  return {
    method,
    url: `${document.servers[0]?.url ?? ""}${filled}${search}`,
    body: content?.example ?? Object.values(content?.examples ?? {})[0]?.value,
  };
}

const indent = (text: string, spaces: number): string => text.replaceAll("\n", `\n${" ".repeat(spaces)}`);

const isWrite = ({ method }: ExampleRequest): boolean => method !== "GET";

const shellQuote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

export function toCurl(request: ExampleRequest): string {
  const { method, url, body } = request;
  const isPlain = method === "GET" || (method === "POST" && body !== undefined);
  return [
    `curl -sS ${isPlain ? "" : `-X ${method} `}${/[?&]/.test(url) ? shellQuote(url) : url}`,
    '-H "Authorization: Bearer $ALMANAC_KEY"',
    ...(isWrite(request) ? ['-H "Idempotency-Key: $(uuidgen)"'] : []),
    ...(body === undefined
      ? []
      : ['-H "Content-Type: application/json"', `-d ${shellQuote(JSON.stringify(body, null, 2))}`]),
  ].join(" \\\n  ");
}

/** Writes a request as TypeScript with `fetch`, which Node, Deno, Workers and browsers have. */
export function toTypeScript(request: ExampleRequest): string {
  const { method, url, body } = request;
  const headers = [
    "Authorization: `Bearer ${process.env.ALMANAC_KEY}`,",
    ...(isWrite(request) ? ['"Idempotency-Key": crypto.randomUUID(),'] : []),
    ...(body === undefined ? [] : ['"Content-Type": "application/json",']),
  ];
  return `const response = await fetch(${JSON.stringify(url)}, {
${method === "GET" ? "" : `  method: "${method}",\n`}  headers: {
    ${headers.join("\n    ")}
  },
${body === undefined ? "" : `  body: JSON.stringify(${indent(JSON.stringify(body, null, 2), 2)}),\n`}});
const answer = await response.json();
if (!response.ok) {
  throw new Error(\`\${answer.code}: \${answer.error}\`);
}`;
}

function toPythonValue(value: unknown): string {
  return JSON.stringify(value, null, 4).replaceAll(
    /"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g,
    (part) => ({ true: "True", false: "False", null: "None" })[part] ?? part,
  );
}

/** Writes a request as Python with the library `requests`. */
export function toPython(request: ExampleRequest): string {
  const { method, url, body } = request;
  const headers = [
    `"Authorization": f"Bearer {os.environ['ALMANAC_KEY']}",`,
    ...(isWrite(request) ? ['"Idempotency-Key": str(uuid.uuid4()),'] : []),
  ];
  return `import os
${isWrite(request) ? "import uuid\n" : ""}
import requests

response = requests.request(
    "${method}",
    ${JSON.stringify(url)},
    headers={
        ${headers.join("\n        ")}
    },
${body === undefined ? "" : `    json=${indent(toPythonValue(body), 4)},\n`}    timeout=30,
)
answer = response.json()
if not response.ok:
    raise RuntimeError(f"{answer['code']}: {answer['error']}")`;
}
