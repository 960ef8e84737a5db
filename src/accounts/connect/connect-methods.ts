import type { Platform } from "#core/platform.ts";
import type { Adapter, ClientIdentity, ConnectField, ConnectMethod, OAuthMethod } from "#platforms/contract.ts";

/** How this service identifies itself to a platform. */
export function clientIdentity(origin: string, platform: Platform): ClientIdentity {
  const redirectUri = `${origin}/connect/${platform}/callback`;
  return {
    origin,
    redirectUri,
    redirectUriOf: (server) => `${redirectUri}/${server}`,
    clientMetadataUrl: `${origin}/connect/${platform}/client-metadata.json`,
  };
}

export function fieldsOf(method: ConnectMethod): readonly ConnectField[] {
  return method.kind === "oauth" ? method.input : method.fields;
}

export function oauthMethodOf(adapter: Adapter): OAuthMethod | undefined {
  return adapter.connect.methods.find((method) => method.kind === "oauth");
}

/** The callback address of a platform, with `{server}` where each server has its own. */
export function redirectUriPattern(origin: string, adapter: Adapter): string {
  const { redirectUri, redirectUriOf } = clientIdentity(origin, adapter.platform);
  return oauthMethodOf(adapter)?.serverOf ? redirectUriOf("{server}") : redirectUri;
}

/** A form value with which a login cannot start, and why. */
export interface FieldProblem {
  readonly param: string;
  readonly message: string;
}

/** Checks a trimmed value; null if it is valid. */
export function checkField(field: ConnectField, value: string): FieldProblem | null {
  if (value.length > field.maxLength) {
    return {
      param: field.name,
      message: `${field.label} has ${value.length} characters; at most ${field.maxLength} are accepted`,
    };
  }
  return null;
}

/** Reads the values of a method's fields, trimmed and without empty ones; or returns the first problem. */
export function readFields(
  method: ConnectMethod,
  text: (name: string) => string,
): { readonly values: Readonly<Record<string, string>>; readonly problem: FieldProblem | null } {
  const values: Record<string, string> = {};
  let problem: FieldProblem | null = null;
  for (const field of fieldsOf(method)) {
    const value = text(field.name).trim();
    problem ??=
      value === "" && field.isRequired
        ? { param: field.name, message: `enter a value for ${field.label}, for example ${field.example}` }
        : checkField(field, value);
    if (value !== "") {
      values[field.name] = value;
    }
  }
  return { values, problem };
}

/** The values that a page may show again: all except secrets. */
export function withoutSecrets(
  method: ConnectMethod,
  values: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const secretNames = new Set(
    fieldsOf(method)
      .filter((field) => field.isSecret)
      .map((field) => field.name),
  );
  return Object.fromEntries(Object.entries(values).filter(([name]) => !secretNames.has(name)));
}
