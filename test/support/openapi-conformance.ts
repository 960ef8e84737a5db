import Ajv2020, { type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { ApiResponse } from "./call-api.ts";
import { type OpenApiDocument, openApiDocument, operationFor } from "./openapi-document.ts";

const validators = new Map<string, ValidateFunction>();
let ajv: Ajv2020 | undefined;

/** In tests an object must have no members that the document does not name, so that unintended data is noticed. */
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

const escapePointer = (step: string) => step.replaceAll("~", "~0").replaceAll("/", "~1");

function validatorAt(document: OpenApiDocument, steps: readonly string[]): ValidateFunction {
  const pointer = encodeURI(steps.map(escapePointer).join("/"));
  const cached = validators.get(pointer);
  if (cached) {
    return cached;
  }
  const validate = documentAjv(document).compile({ $ref: `https://document.test/#/${pointer}` });
  validators.set(pointer, validate);
  return validate;
}

/** Responses to an unknown path or a wrong method belong to no operation. */
const STATUSES_WITHOUT_OPERATION = new Set([404, 405]);

function schemaPath(document: OpenApiDocument, method: string, path: string, status: number): readonly string[] {
  const documented = operationFor(document, method, path);
  if (!documented) {
    if (!STATUSES_WITHOUT_OPERATION.has(status)) {
      throw new Error(`${method} ${path} is not an operation of the document and answered ${status}`);
    }
    return ["components", "schemas", "ErrorBody"];
  }
  const response = documented.operation.responses[String(status)];
  if (!response) {
    throw new Error(`${method} ${path} answered ${status}, which the document does not contain`);
  }
  if (response.$ref !== undefined) {
    const steps = response.$ref.slice(2).split("/");
    return [...steps, "content", "application/json", "schema"];
  }
  return [
    "paths",
    documented.path,
    method.toLowerCase(),
    "responses",
    String(status),
    "content",
    "application/json",
    "schema",
  ];
}

/** Throws when a response does not match the document. */
export async function assertMatchesDocument(
  method: string,
  path: string,
  { status, headers, body }: ApiResponse,
): Promise<void> {
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

/** Throws when the body of an event does not match what the document says of its type. */
export async function assertMatchesWebhook(body: { readonly type: string }): Promise<void> {
  const { type } = body;
  const document = await openApiDocument();
  const steps = ["webhooks", type, "post", "requestBody", "content", "application/json", "schema"];
  const validate = validatorAt(document, steps);
  if (!validate(body)) {
    throw new Error(`${type}: ${JSON.stringify(validate.errors, null, 1)}\n${JSON.stringify(body).slice(0, 2000)}`);
  }
}
