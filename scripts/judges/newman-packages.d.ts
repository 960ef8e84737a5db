/** The members of the packages that are used here; they have no type declarations. */
declare module "openapi-to-postmanv2" {
  interface PostmanRequest {
    readonly method: string;
    readonly header?: readonly { readonly key: string }[];
    readonly url: { readonly path: readonly string[] };
  }
  export interface PostmanItem {
    readonly name: string;
    readonly item?: readonly PostmanItem[];
    readonly request?: PostmanRequest;
    readonly event?: readonly object[];
  }
  export interface PostmanCollection {
    readonly item: readonly PostmanItem[];
  }
  interface Conversion {
    readonly result: boolean;
    readonly reason?: string;
    readonly output?: readonly { readonly data: PostmanCollection }[];
  }
  const converter: {
    convert(
      input: { type: "string"; data: string },
      options: { requestParametersResolution: "Example" | "Schema" },
      callback: (error: Error | null, conversion: Conversion) => void,
    ): void;
  };
  export default converter;
}

declare module "newman" {
  interface Execution {
    readonly item: { readonly name: string };
    readonly request: { readonly method: string; readonly url: { getPathWithQuery(): string } };
    readonly response?: {
      readonly code: number;
      readonly headers: { get(name: string): string | undefined };
      text(): string;
    };
    readonly requestError?: Error;
  }
  interface Summary {
    readonly run: {
      readonly executions: readonly Execution[];
      readonly failures: readonly { readonly error: Error }[];
    };
  }
  const newman: {
    run(
      options: { collection: object; envVar: readonly { key: string; value: string }[]; timeoutRequest: number },
      callback: (error: Error | null, summary: Summary) => void,
    ): void;
  };
  export default newman;
}
