// The portal in production mode with the Power BI emulator at
// EMULATOR_URL, for measurements without the demo's own parts.
import { readConfig } from '#server/config.ts'
import { createLog } from '#server/log.ts'
import { startPortal } from '#server/start.ts'

const { EMULATOR_URL, ...environment } = process.env
const config = readConfig(environment)
const { tenantId } = config.powerBi
const emulated = {
  apiBase: `${EMULATOR_URL}/api`,
  tokenEndpoint: `${EMULATOR_URL}/directory/${tenantId}/oauth2/v2.0/token`,
}
const portal = await startPortal(
  { ...config, powerBi: { ...config.powerBi, ...emulated } },
  createLog(config.logLevel),
)
process.on('SIGTERM', () => portal.stop().then(() => process.exit(0)))
