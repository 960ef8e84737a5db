import type { Platform } from "#core/platform.ts";
import type { Adapter, ClientIdentity, ConnectField, ConnectMethod, OAuthMethod } from "#platforms/contract.ts";

/** What this service is to a platform. */
export function clientIdentity(origin: string, platform: Platform): ClientIdentity {
  return {
    origin,
    redirectUri: `${origin}/connect/${platform}/callback`,
    clientMetadataUrl: `${origin}/connect/${platform}/client-metadata.json`,
  };
}

export function fieldsOf(method: ConnectMethod): readonly ConnectField[] {
  return method.kind === "oauth" ? method.input : method.fields;
}

export function oauthMethodOf(adapter: Adapter): OAuthMethod | undefined {
  return adapter.connect.methods.find((method) => method.kind === "oauth");
}

/** A value that a method cannot be started with. */
export interface FieldProblem {
  readonly param: string;
  readonly message: string;
}

/** Why a trimmed value is not accepted; null when it is. */
export function checkField(field: ConnectField, value: string): FieldProblem | null {
  if (value.length > field.maxLength) {
    return {
      param: field.name,
      message: `${field.label} has ${value.length} characters; at most ${field.maxLength} are accepted`,
    };
  }
  return null;
}

/** The values of a method's fields, trimmed, without empty ones; or the first problem. */
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

/** The values that may be shown again. */
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
