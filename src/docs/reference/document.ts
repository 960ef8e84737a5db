/** The parts of the OpenAPI document from which the API reference is made. */
export interface ApiDocument {
  readonly info: { readonly description: string; readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Answer>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly parameters?: Readonly<Record<string, Parameter>>;
  };
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Answer | Reference>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
  readonly example?: unknown;
}

interface Header {
  readonly description?: string;
}

export interface Answer {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Header | Reference>>;
  readonly content?: Content;
}

type Content = Readonly<
  Record<
    string,
    {
      readonly schema: Schema;
      readonly example?: unknown;
      readonly examples?: Readonly<Record<string, { readonly summary?: string; readonly value: unknown }>>;
    }
  >
>;

export interface Reference {
  readonly $ref: string;
}

/** The parts of a JSON Schema that the reference shows. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly "x-enum-descriptions"?: readonly string[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly example?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

/** An operation with its method and path. */
export interface PlacedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

export const nameOf = (reference: string): string => reference.slice(reference.lastIndexOf("/") + 1);

export function operationsOf(document: ApiDocument, tag: string): readonly PlacedOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags?.includes(tag))
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

export function answerOf(document: ApiDocument, answer: Answer | Reference): Answer {
  const found = "$ref" in answer ? document.components.responses[nameOf(answer.$ref)] : answer;
  if (found === undefined) {
    throw new Error(`the document has no answer ${JSON.stringify(answer)}`);
  }
  return found;
}

export function parameterOf(document: ApiDocument, parameter: Parameter | Reference): Parameter {
  const found = "$ref" in parameter ? document.components.parameters?.[nameOf(parameter.$ref)] : parameter;
  if (found === undefined) {
    throw new Error(`the document has no parameter ${JSON.stringify(parameter)}`);
  }
  return found;
}
