import type { IncomingMessage, ServerResponse } from 'node:http'
import { getValues } from '#contract/entitlement-lists.ts'
import { backoffDelay, retry } from '#contract/timing.ts'
import {
  createDirectoryAccounts,
  EMULATED_DIRECTORY_CLIENT,
  EMULATED_DIRECTORY_TENANT,
} from '#emulators/directory/directory-accounts.ts'
import { createDirectoryEmulator } from '#emulators/directory/directory-emulator.ts'
import { createMailbox } from '#emulators/mailbox/mailbox.ts'
import { EMULATED_CLIENT_ID, EMULATED_REPORTS, EMULATED_TENANT_ID } from '#emulators/power-bi/catalogue.ts'
import { createPowerBiEmulator } from '#emulators/power-bi/emulator.ts'
import { CALLBACK_PATH } from '#server/accounts/microsoft-directory.ts'
import { readCatalogue } from '#server/catalogue/catalogue.ts'
import type { Config } from '#server/config.ts'
import { DatabaseOpenError } from '#server/database/database.ts'
import type { Db } from '#server/database/schema.ts'
import type { Mount } from '#server/http/http-app.ts'
import type { Mailer } from '#server/mail/smtp-mailer.ts'
import type { PowerBiOptions } from '#server/power-bi/power-bi-client.ts'
import { isMarkedAsDemo } from './demo-installation.ts'
import { type DemoReport, seedDemo } from './seed.ts'

const POWER_BI_PATH = '/demo/power-bi'
const MAILBOX_PATH = '/demo/mailbox'
const DIRECTORY_PATH = '/demo/directory'

/** The emulated outside services of demo mode. */
export interface Demo {
  mounts: Mount[]
  mailer: Mailer
  powerBi: Pick<PowerBiOptions, 'directory' | 'apiBase'>
  /** Path of the emulated /reportEmbed. */
  reportEmbedBase: string
  /** Undefined where the packages of development are not installed. */
  entra: Config['entra']
}

/**
 * Seeds an empty database once and starts the emulators.
 * @param secret signs the emulator's tokens
 * @throws DatabaseOpenError when the database already serves a real portal
 */
export async function startDemo(config: Config, db: Db, secret: string): Promise<Demo> {
  await seedOnce(config, db)
  const clientSecret = `emulated-${secret.slice(0, 16)}`
  const emulator = createPowerBiEmulator({
    secret,
    clientSecret,
    latencyMs: config.powerBi.emulatorLatencyMs,
    directoryLatencyMs: config.powerBi.emulatorDirectoryLatencyMs,
    // A frame's page is not reloaded automatically, so it retries on a busy database.
    readData: () =>
      retry(
        () => readEmulatedData(db),
        (_, failures) => (failures < 6 ? backoffDelay(failures, { firstMs: 100, maxMs: 2_000 }) : undefined),
      ),
  })
  const mailbox = createMailbox()
  const directory = createDirectory(config, clientSecret)
  const base = `http://127.0.0.1:${config.port}${POWER_BI_PATH}`
  return {
    mounts: [
      { path: POWER_BI_PATH, handle: (request) => emulator.handle(request) },
      { path: MAILBOX_PATH, handle: mailbox.handle },
      { path: `${MAILBOX_PATH}.json`, handle: mailbox.handle },
      ...(directory ? [directory.mount] : []),
    ],
    entra: directory?.options,
    mailer: { deliver: async (mail) => mailbox.deliver(mail) },
    powerBi: {
      directory: {
        tenantId: EMULATED_TENANT_ID,
        clientId: EMULATED_CLIENT_ID,
        clientSecret,
        tokenEndpoint: `${base}/directory/${EMULATED_TENANT_ID}/oauth2/v2.0/token`,
      },
      apiBase: `${base}/api`,
    },
    reportEmbedBase: POWER_BI_PATH,
  }
}

/** Plays Microsoft's directory; the provider is loaded by the first sign-in. */
function createDirectory({ publicUrl, companyEmailDomain }: Config, clientSecret: string) {
  try {
    import.meta.resolve('oidc-provider')
  } catch {
    return undefined
  }
  const issuer = publicUrl + DIRECTORY_PATH
  let emulator: ReturnType<typeof createDirectoryEmulator> | undefined
  const mount: Mount = {
    path: DIRECTORY_PATH,
    async handle(_request, _info, { incoming, outgoing }) {
      emulator ??= createDirectoryEmulator({
        issuer,
        clientSecret,
        redirectUri: publicUrl + CALLBACK_PATH,
        accounts: createDirectoryAccounts(companyEmailDomain),
      })
      ;(await emulator).handle(incoming as IncomingMessage, outgoing as ServerResponse)
      return undefined
    },
  }
  const options = { issuer, tenantId: EMULATED_DIRECTORY_TENANT, clientId: EMULATED_DIRECTORY_CLIENT }
  return {
    mount,
    options: {
      ...options,
      clientSecret,
      clientCertificate: undefined,
      secretEnds: undefined,
      multiFactor: undefined,
    },
  }
}

/** Reads the brands and states that the emulated data cover. */
export async function readEmulatedData(db: Db) {
  const catalogue = await readCatalogue(db)
  return { marcas: getValues(catalogue, 'marcas'), estados: getValues(catalogue, 'estados') }
}

async function seedOnce(config: Config, db: Db): Promise<void> {
  if (await isMarkedAsDemo(db)) return
  const someone = await db.selectFrom('profiles').select('id').limit(1).executeTakeFirst()
  if (someone)
    throw new DatabaseOpenError(
      'Este banco de dados não é de demonstração e já tem contas. Use outro ou inicie com PATIO_DEMO=false.',
    )
  await seedDemo(db, config.companyEmailDomain, listDemoReports())
}

/** Lists the emulated reports as settings; Operadores uses a share link, without a token. */
function listDemoReports(): DemoReport[] {
  return EMULATED_REPORTS.map((report) => {
    if (report.type !== 'Operadores') return report
    const query = `reportId=${report.reportId}&groupId=${report.workspaceId}&autoAuth=true`
    return { ...report, reportUrl: `${POWER_BI_PATH}/reportEmbed?${query}` }
  })
}
