ALTER TABLE `post_days` ADD `lateness` text DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE `post_targets` ADD `asked` text;