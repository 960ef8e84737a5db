import { exports } from "cloudflare:workers";
import { ORIGIN } from "./origin.ts";

interface MediaTypeObject {
  readonly schema: object;
  readonly example?: unknown;
}

interface ResponseObject {
  readonly $ref?: string;
  readonly description?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, MediaTypeObject>>;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly {
    readonly $ref?: string;
    readonly name?: string;
    readonly in?: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema?: { readonly example?: unknown };
  }[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, MediaTypeObject>> };
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly version: string; readonly "x-service-version": string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  /** By event type. */
  readonly webhooks: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Record<string, Record<string, unknown>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly securitySchemes: Readonly<Record<string, Record<string, unknown>>>;
  };
}

let cachedDocument: Promise<OpenApiDocument> | undefined;

async function fetchDocument(): Promise<OpenApiDocument> {
  const response = await exports.default.fetch(`${ORIGIN}/v1/openapi.json`);
  return await response.json<OpenApiDocument>();
}

/** The OpenAPI document that the service serves, fetched once per test file. */
export function openApiDocument(): Promise<OpenApiDocument> {
  cachedDocument ??= fetchDocument();
  return cachedDocument;
}

export interface DocumentedOperation {
  readonly method: string;
  /** As the document spells it: `/posts/{id}`. */
  readonly path: string;
  readonly operation: Operation;
}

export function operationsOf({ paths }: OpenApiDocument): readonly DocumentedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

/** The path with an id for each of its parameters. */
export function withUnknownIds(path: string): string {
  return path.replaceAll(/\{\w+\}/g, () => crypto.randomUUID());
}

/** The operation of a request: a literal path takes precedence over one with parameters. */
export function operationFor(document: OpenApiDocument, method: string, path: string): DocumentedOperation | undefined {
  const [pathname = ""] = path.replace(/\/(?=\?|$)/, "").split("?", 1);
  const operations = operationsOf(document);
  const sameMethod = operations.filter((operation) => operation.method === (method === "HEAD" ? "GET" : method));
  if (operations.some((operation) => operation.path === pathname)) {
    return sameMethod.find((operation) => operation.path === pathname);
  }
  return sameMethod.find((operation) =>
    new RegExp(`^${operation.path.replaceAll(/\{[^}]+\}/g, "[^/]+")}$`).test(pathname),
  );
}
