import { codeBlock, inlineCode, table } from "#docs/markdown/markdown.ts";
import {
  type Answer,
  type ApiDocument,
  answerOf,
  nameOf,
  parameterOf,
  type PlacedOperation,
  type Schema,
} from "./document.ts";
import { exampleRequest, toCurl, toPython, toTypeScript } from "./request-examples.ts";
import { describeSchema, type SchemaLink, schemaMarkdown, typeOf } from "./schema-markdown.ts";

export interface ReferenceLinks {
  readonly schema: SchemaLink;
  readonly errorCode: (code: string) => string;
}

/** The scopes that a token needs for the operation. Empty if any valid credential is enough. */
function scopesOf({ operation }: PlacedOperation): readonly string[] {
  return operation.security?.flatMap((way) => way["oauth2"] ?? []) ?? [];
}

function parametersMarkdown(document: ApiDocument, { operation }: PlacedOperation, links: ReferenceLinks): string {
  const rows = (operation.parameters ?? []).map((given) => {
    const { name, in: place, required, description, schema = {} } = parameterOf(document, given);
    return [
      `\`${name}\`${required === true ? "" : " (optional)"}`,
      place,
      typeOf(schema, links.schema),
      describeSchema({ ...schema, description: description ?? schema.description ?? "" }),
    ];
  });
  return rows.length === 0 ? "" : `## Parameters\n\n${table(["Name", "In", "Type", "What it is"], rows)}`;
}

/** Follows a reference to a schema, so that the operation's page shows the schema's members. */
function resolve(document: ApiDocument, schema: Schema): Schema {
  return schema.$ref === undefined ? schema : (document.components.schemas[nameOf(schema.$ref)] ?? schema);
}

function bodyMarkdown(document: ApiDocument, { operation }: PlacedOperation, links: ReferenceLinks): string {
  return Object.entries(operation.requestBody?.content ?? {})
    .map(([type, { schema }]) => {
      const isJson = type === "application/json";
      return `## Body\n\n${isJson ? "" : `As ${inlineCode(type)}.\n\n`}${schemaMarkdown(resolve(document, schema), links.schema)}`;
    })
    .join("\n");
}

function answerMarkdown(document: ApiDocument, status: string, answer: Answer, links: ReferenceLinks): string {
  const contents = Object.entries(answer.content ?? {}).map(([type, { schema, example, examples }]) => {
    const first = example ?? Object.values(examples ?? {})[0]?.value;
    const isJson = type.endsWith("json");
    return [
      isJson ? schemaMarkdown(resolve(document, schema), links.schema) : `${inlineCode(type)}\n`,
      ...(first === undefined ? [] : [codeBlock("json", JSON.stringify(first, null, 2))]),
    ].join("\n");
  });
  return `## Answer ${status}\n\n${answer.description}\n\n${contents.join("\n")}`;
}

/** The error codes in the examples of an answer. Empty if the status has no examples. */
function codesOf({ content }: Answer): readonly string[] {
  const examples = Object.values(content?.["application/json"]?.examples ?? {}).map(({ value }) => value);
  const all = [...examples, content?.["application/json"]?.example];
  return [...new Set(all.flatMap((value) => (hasCode(value) ? [value.code] : [])))];
}

function hasCode(value: unknown): value is { readonly code: string } {
  return typeof value === "object" && value !== null && "code" in value && typeof value.code === "string";
}

function refusalsMarkdown(answers: readonly (readonly [string, Answer])[], links: ReferenceLinks): string {
  const rows = answers.map(([status, answer]) => [
    status,
    answer.description,
    codesOf(answer)
      .map((code) => `[\`${code}\`](${links.errorCode(code)})`)
      .join(", "),
  ]);
  return rows.length === 0 ? "" : `## Refusals\n\n${table(["Status", "When", "Codes"], rows)}`;
}

/** Describes an operation: purpose, input, answers, and an example call in three languages. */
export function operationMarkdown(document: ApiDocument, placed: PlacedOperation, links: ReferenceLinks): string {
  const { operation } = placed;
  const answers = Object.entries(operation.responses).map(
    ([status, answer]) => [status, answerOf(document, answer)] as const,
  );
  const isRefusal = ([status]: readonly [string, Answer]) => Number(status) >= 400;
  const request = exampleRequest(document, placed);
  const scopes = scopesOf(placed);
  return [
    `${operation.description ?? ""}\n`,
    `Scope: ${scopes.length === 0 ? "any valid credential" : scopes.map(inlineCode).join(" and ")}. Operation id: ${inlineCode(operation.operationId)}.\n`,
    parametersMarkdown(document, placed, links),
    bodyMarkdown(document, placed, links),
    `## Request\n\n### curl\n\n${codeBlock("sh", toCurl(request))}\n### TypeScript\n\n${codeBlock("ts", toTypeScript(request))}\n### Python\n\n${codeBlock("python", toPython(request))}`,
    ...answers
      .filter((answer) => !isRefusal(answer))
      .map(([status, answer]) => answerMarkdown(document, status, answer, links)),
    refusalsMarkdown(answers.filter(isRefusal), links),
  ]
    .filter(Boolean)
    .join("\n");
}
