// `npm run settings`: writes docs/settings.md from the settings themselves.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeSettingsPage } from '#server/settings-page.ts'
import { root } from './run-command.mjs'

writeFileSync(join(root, 'docs', 'settings.md'), writeSettingsPage())
