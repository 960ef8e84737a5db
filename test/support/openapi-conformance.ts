import Ajv2020, { type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { ApiResponse } from "./call-api.ts";
import { type OpenApiDocument, openApiDocument, operationFor } from "./openapi-document.ts";

const validators = new Map<string, ValidateFunction>();
let ajv: Ajv2020 | undefined;

/** In tests an object has the members the document names and no others, so that nothing leaks unseen. */
function forbidExtraMembers(document: OpenApiDocument): OpenApiDocument {
  return JSON.parse(JSON.stringify(document), (_name, value: unknown) => {
    if (typeof value !== "object" || value === null || !("properties" in value) || !("type" in value)) {
      return value;
    }
    return value.type === "object" && !("additionalProperties" in value)
      ? { ...value, additionalProperties: false }
      : value;
  }) as OpenApiDocument;
}

function documentAjv(document: OpenApiDocument): Ajv2020 {
  if (ajv === undefined) {
    ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats(ajv);
    ajv.addSchema({ $id: "https://document.test/", ...forbidExtraMembers(document) });
  }
  return ajv;
}

const escaped = (step: string) => step.replaceAll("~", "~0").replaceAll("/", "~1");

function validatorAt(document: OpenApiDocument, steps: readonly string[]): ValidateFunction {
  const pointer = encodeURI(steps.map(escaped).join("/"));
  const known = validators.get(pointer);
  if (known) {
    return known;
  }
  const made = documentAjv(document).compile({ $ref: `https://document.test/#/${pointer}` });
  validators.set(pointer, made);
  return made;
}

/** What an unknown path or a wrong method answers belongs to no operation. */
const STATUSES_WITHOUT_OPERATION = new Set([404, 405]);

function schemaPath(document: OpenApiDocument, method: string, path: string, status: number): readonly string[] {
  const found = operationFor(document, method, path);
  if (!found) {
    if (!STATUSES_WITHOUT_OPERATION.has(status)) {
      throw new Error(`${method} ${path} is no operation of the document and answered ${status}`);
    }
    return ["components", "schemas", "ErrorBody"];
  }
  const response = found.operation.responses[String(status)];
  if (!response) {
    throw new Error(`${method} ${path} answered ${status}, which the document does not know`);
  }
  if (response.$ref !== undefined) {
    const steps = response.$ref.slice(2).split("/");
    return [...steps, "content", "application/json", "schema"];
  }
  return [
    "paths",
    found.path,
    method.toLowerCase(),
    "responses",
    String(status),
    "content",
    "application/json",
    "schema",
  ];
}

/** Throws when an answer is not what the document promises of this operation. */
export async function assertMatchesDocument(method: string, path: string, { status, headers, body }: ApiResponse): Promise<void> {
  if (method === "HEAD" || method === "OPTIONS") {
    return;
  }
  const document = await openApiDocument();
  const where = `${method} ${path} ${status}`;
  const steps = schemaPath(document, method, path, status);
  if (headers.get("content-type") !== "application/json") {
    throw new Error(`${where}: content type ${headers.get("content-type")}`);
  }
  if (!headers.get("x-request-id")) {
    throw new Error(`${where}: no X-Request-Id`);
  }
  const validate = validatorAt(document, steps);
  if (!validate(body)) {
    throw new Error(`${where}: ${JSON.stringify(validate.errors, null, 1)}\n${JSON.stringify(body).slice(0, 2000)}`);
  }
}
