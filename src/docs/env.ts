import type { Context as HonoContext } from "hono";
import type { Config, Env } from "#config.ts";
import type { DocsSite } from "./site.ts";

export interface DocsEnv {
  Bindings: Env;
  Variables: {
    config: Config;
    readSite: () => Promise<DocsSite>;
    /** True if a script of the page calls the API, so that the security policy must allow this. */
    callsApi?: boolean;
  };
}

export type DocsContext = HonoContext<DocsEnv>;
