ALTER TABLE `api_keys` ADD `workspace_id` text;--> statement-breakpoint
ALTER TABLE `oauth_grants` ADD `workspace_id` text;