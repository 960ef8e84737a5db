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

/**
 * The OAuth callback address of a platform. It contains `{server}` if every server of the platform has its own address.
 */
export function redirectUriPattern(origin: string, adapter: Adapter): string {
  const { redirectUri, redirectUriOf } = clientIdentity(origin, adapter.platform);
  return oauthMethodOf(adapter)?.serverOf ? redirectUriOf("{server}") : redirectUri;
}

/** Which form value prevents a login from starting, and why. */
export interface FieldProblem {
  readonly param: string;
  readonly message: string;
}

/** Checks the trimmed value of a login form's field; null if it is valid. */
export function checkField(field: ConnectField, value: string): FieldProblem | null {
  if (value.length > field.maxLength) {
    return {
      param: field.name,
      message: `${field.label} has ${value.length} characters; at most ${field.maxLength} are accepted`,
    };
  }
  return null;
}

/** Reads and trims the form values of a login method and drops empty ones; or returns the first invalid field. */
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

/** The form values that a page may show again. Secrets are left out, so that no page contains them. */
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
