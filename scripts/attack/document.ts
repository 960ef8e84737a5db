/** The parts of the service's OpenAPI document from which attacks are made. */
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

interface OpenApiOperation {
  readonly operationId: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly OpenApiParameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> };
  readonly responses: Readonly<Record<string, unknown>>;
}

interface OpenApiParameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly schema: JsonSchema;
}

export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly format?: string;
}

/** One operation, with the parts that a request needs. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  /** The path below `/v1`, with parameters in braces. */
  readonly path: string;
  /** The scopes that the operation requires. Empty if any credential is enough. */
  readonly scopes: readonly string[];
  readonly parameters: readonly OpenApiParameter[];
  readonly body: JsonSchema | null;
  readonly statuses: readonly number[];
}

export function operationsOf({ paths }: OpenApiDocument): readonly Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => typeof operation === "object" && "operationId" in operation)
      .map(([method, operation]) => ({
        id: operation.operationId,
        method: method.toUpperCase(),
        path: `/v1${path}`,
        scopes: operation.security.flatMap((scheme) => scheme["oauth2"] ?? []),
        parameters: operation.parameters ?? [],
        body: operation.requestBody?.content["application/json"]?.schema ?? null,
        statuses: Object.keys(operation.responses).map(Number),
      })),
  );
}

/** Follows references, so that the result has the keywords of the schema itself. */
export function resolveSchema(document: OpenApiDocument, schema: JsonSchema): JsonSchema {
  const name = schema.$ref?.split("/").at(-1);
  const target = name === undefined ? undefined : document.components.schemas[name];
  return target ? resolveSchema(document, target) : schema;
}
