import { randomUUID } from "node:crypto";
import { Refusal } from "./cloudflare-refusal.ts";

export interface Binding {
  readonly type: string;
  readonly name: string;
  readonly text?: string;
  readonly id?: string;
  readonly database_id?: string;
  readonly namespace_id?: string;
  readonly bucket_name?: string;
  readonly jurisdiction?: string;
  readonly class_name?: string;
  readonly simple?: object;
}

interface ObjectMigration {
  readonly new_sqlite_classes?: readonly string[];
}

export interface Metadata {
  readonly main_module?: string;
  readonly compatibility_date?: string;
  readonly compatibility_flags?: readonly string[];
  readonly placement?: object;
  readonly bindings: readonly Binding[];
  readonly keep_bindings?: readonly string[];
  readonly annotations?: Readonly<Record<string, string | undefined>>;
  readonly migrations?: {
    readonly old_tag?: string;
    readonly new_tag: string;
    readonly steps?: readonly ObjectMigration[];
  };
}

/** One file of an upload. */
export interface UploadedModule {
  readonly name: string;
  readonly type: string;
  readonly contents: string;
}

/** One uploaded version. */
export interface Version {
  readonly id: string;
  readonly bindings: readonly Binding[];
  readonly annotations: Readonly<Record<string, string | undefined>>;
  /** The main module comes first. */
  readonly modules: readonly UploadedModule[];
  readonly compatibilityDate: string;
  readonly compatibilityFlags: readonly string[];
  readonly placement: object | undefined;
}

/** Which resources a binding may name. */
export interface ResourceCheck {
  database(id: string | undefined): boolean;
  namespace(id: string | undefined): boolean;
  bucket(name: string | undefined, jurisdiction: string | undefined): boolean;
}

const INVALID_BINDING = 10_021;
const INVALID_INHERIT = 10_057;

/** One Worker: its versions, the deployed one, its secrets and addresses. */
export class DeployedWorker {
  readonly name: string;
  readonly versions: Version[] = [];
  deployed = "";
  migrationTag: string | null = null;
  readonly classes = new Set<string>();
  tags: readonly string[] = [];
  schedules: readonly { readonly cron: string }[] = [];
  subdomain = { enabled: false, previews_enabled: false };
  readonly createdAt = new Date().toISOString();
  /** `wrangler`, `dash` or `api`. */
  lastDeployedFrom = "wrangler";

  constructor(name: string) {
    this.name = name;
  }

  get current(): Version {
    const version = this.versions.find(({ id }) => id === this.deployed);
    if (version === undefined) {
      throw new Refusal(404, 10_007, "This Worker does not exist on your account.");
    }
    return version;
  }

  get vars(): Record<string, string> {
    return Object.fromEntries(
      this.current.bindings.filter(({ type }) => type === "plain_text").map(({ name, text = "" }) => [name, text]),
    );
  }

  /** Only tests can read them back. */
  get secrets(): Record<string, string> {
    return Object.fromEntries(
      this.current.bindings.filter(({ type }) => type === "secret_text").map(({ name, text = "" }) => [name, text]),
    );
  }

  /** As wrangler uploads it. Nothing changes unless everything is right. */
  upload(metadata: Metadata, modules: readonly UploadedModule[], resources: ResourceCheck): Version {
    const names = metadata.bindings.map(({ name }) => name);
    const twice = names.find((name, at) => names.indexOf(name) !== at);
    if (twice !== undefined) {
      throw new Refusal(400, INVALID_BINDING, `binding ${twice} is there twice`);
    }
    this.#checkMigrations(metadata);
    checkImports(metadata.main_module, modules);
    const previous = this.versions.find(({ id }) => id === this.deployed)?.bindings ?? [];
    const given = metadata.bindings.map((binding) => this.#resolve(binding, previous, metadata, resources));
    const kept = previous.filter(
      ({ name, type }) => !names.includes(name) && metadata.keep_bindings?.includes(type) === true,
    );
    for (const step of metadata.migrations?.steps ?? []) {
      for (const created of step.new_sqlite_classes ?? []) {
        this.classes.add(created);
      }
    }
    this.migrationTag = metadata.migrations?.new_tag ?? this.migrationTag;
    const version: Version = {
      id: randomUUID(),
      bindings: [...given, ...kept],
      annotations: metadata.annotations ?? {},
      compatibilityDate: metadata.compatibility_date ?? "",
      compatibilityFlags: metadata.compatibility_flags ?? [],
      placement: metadata.placement,
      modules: modules.toSorted(
        (a, b) => Number(b.name === metadata.main_module) - Number(a.name === metadata.main_module),
      ),
    };
    this.versions.push(version);
    this.lastDeployedFrom = "wrangler";
    return version;
  }

  /** Somebody changes a variable in Cloudflare's dashboard, or takes a name for a secret. */
  edit(name: string, type: "plain_text" | "secret_text", text: string): void {
    const { bindings, ...rest } = this.current;
    const others = bindings.filter((binding) => binding.name !== name);
    const version = { ...rest, id: randomUUID(), bindings: [...others, { type, name, text }] };
    this.versions.push(version);
    this.deployed = version.id;
    this.lastDeployedFrom = "dash";
  }

  #checkMigrations({ migrations }: Metadata): void {
    if (migrations !== undefined && (migrations.old_tag ?? null) !== this.migrationTag) {
      throw new Refusal(412, 10_079, `migration tag precondition failed; current tag is ${this.migrationTag}`);
    }
  }

  #resolve(binding: Binding, previous: readonly Binding[], metadata: Metadata, resources: ResourceCheck): Binding {
    const { type, name } = binding;
    const coming = (metadata.migrations?.steps ?? []).flatMap((step) => step.new_sqlite_classes ?? []);
    const invalid = (why: string) => new Refusal(400, INVALID_BINDING, `binding ${name} of type ${type} ${why}`);
    switch (type) {
      case "inherit": {
        const inherited = previous.find((one) => one.name === name);
        if (inherited === undefined) {
          throw new Refusal(400, INVALID_INHERIT, `inherit binding '${name}' is invalid: no such binding`);
        }
        return inherited;
      }
      case "d1":
        if (!resources.database(binding.id ?? binding.database_id)) {
          throw invalid("must have a valid `id` specified");
        }
        return binding;
      case "kv_namespace":
        if (!resources.namespace(binding.namespace_id)) {
          throw invalid("must have a valid `namespace_id` specified");
        }
        return binding;
      case "r2_bucket":
        if (!resources.bucket(binding.bucket_name, binding.jurisdiction)) {
          throw invalid("references bucket that does not exist");
        }
        return binding;
      case "durable_object_namespace":
        if (!this.classes.has(binding.class_name ?? "") && !coming.includes(binding.class_name ?? "")) {
          throw invalid("names a class that no migration has created");
        }
        return binding;
      case "plain_text":
      case "secret_text":
      case "ratelimit":
      case "send_email":
      case "assets":
      case "images":
        return binding;
      default:
        throw invalid("is of no known type");
    }
  }
}

/** As the runtime does when it starts the main module: each module that it or one of its imports names must be there. */
function checkImports(main: string | undefined, modules: readonly UploadedModule[]): void {
  const contents = new Map(modules.map((module) => [module.name, module.contents]));
  const reached = new Set([main ?? ""]);
  for (const name of reached) {
    const code = contents.get(name);
    if (code === undefined) {
      throw new Refusal(400, 10_021, `Uncaught Error: No such module "${name}".`);
    }
    for (const [, imported = ""] of code.matchAll(/(?:\bfrom|\bimport\(?) ?"\.\/([^"]+)"/g)) {
      reached.add(imported);
    }
  }
}
