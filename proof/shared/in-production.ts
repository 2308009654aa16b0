import { ESTADOS, MARCAS } from '#contract/seeded-catalogue.ts'
import { EMULATED_CLIENT_ID, EMULATED_TENANT_ID } from '#emulators/power-bi/catalogue.ts'
import { root } from '#scripts/run-command.mjs'
import { hashPassword } from '#server/accounts/password-hashing.ts'
import { getEmulatedReport } from '#server/testing/builders.ts'
import { startEmulator } from '#server/testing/test-portal.ts'
import { addSessions } from './people.ts'
import { runSql } from './postgres.ts'
import { FIRST_PORT, startPortal } from './processes.ts'
import { type CleanUp, makeTempFolder } from './run-task.ts'

const SECRET = 'k3J9-fbQ2-xT7w-Lm5R-pZ8v-Hn4C-yD6s'
export const PASSWORD = 'Travessia-Lunar-88!'
const CLIENT_SECRET = 'emulated client secret'

interface ProductionOptions {
  people: number
  area: string
  /** By default nothing answers there. */
  smtpUrl?: string
  port?: number
}

/**
 * Starts a portal in production mode with the emulated Power BI, people with
 * passwords, and one area with its report; the first person is an administrator.
 * @returns the portal, an administrator's access token, a function that starts the portal anew after
 * its end, and the emulator's URL
 */
export async function startInProduction(
  DATABASE_URL: string,
  { people, area, smtpUrl, port = FIRST_PORT }: ProductionOptions,
  cleanUp: CleanUp,
) {
  const emulator = await startEmulator(Date.now, CLIENT_SECRET, async () => ({
    marcas: MARCAS,
    estados: ESTADOS,
  }))
  cleanUp(emulator.stop)
  const env = {
    DATABASE_URL,
    DATA_DIR: makeTempFolder(cleanUp),
    PATIO_DEMO: 'false',
    NODE_ENV: 'production',
    PUBLIC_URL: `http://localhost:${port}`,
    SESSION_SECRET: SECRET,
    COMPANY_EMAIL_DOMAIN: 'grupopatio.com.br',
    SMTP_URL: smtpUrl ?? 'smtp://127.0.0.1:9',
    MAIL_FROM: 'portal@grupopatio.com.br',
    POWERBI_TENANT_ID: EMULATED_TENANT_ID,
    POWERBI_CLIENT_ID: EMULATED_CLIENT_ID,
    POWERBI_CLIENT_SECRET: CLIENT_SECRET,
    TRUSTED_PROXIES: '127.0.0.1',
    EMULATOR_URL: emulator.url,
  }
  const start = () => startPortal(port, env, root, 'proof/shared/production-portal.ts')
  // The first start fills the compile cache; otherwise the compiler stays in memory.
  await (await start()).stop()
  const portal = await start()
  cleanUp(portal.stop)
  const [token = ''] = await addSessions(DATABASE_URL, SECRET, people, area)
  const hash = await hashPassword(PASSWORD)
  const { workspaceId, reportId, datasetId } = getEmulatedReport(area)
  await runSql(DATABASE_URL, async (client) => {
    await client.query('insert into passwords (user_id, hash) select user_id, $1 from profiles', [hash])
    await client.query(`insert into user_roles (user_id, role) select user_id, 'admin' from profiles
      where email = 'carga1@grupopatio.com.br'`)
    await client.query(
      `insert into global_powerbi_settings (type, embed_mode, workspace_id, report_id, dataset_id)
      values ($1, 'service_principal', $2, $3, $4)`,
      [area.toLowerCase(), workspaceId, reportId, datasetId],
    )
  })
  return { portal, token, start, emulatorUrl: emulator.url }
}
