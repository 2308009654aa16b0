import { runWithCleanUp } from '#proof/shared/run-task.ts'
import { ENGINES, type Engine } from './engines.ts'
import { expect, PASSWORD, test as portalTest, toEmail } from './portal-fixture.ts'

const test = portalTest.extend<{ open: (name: keyof typeof ENGINES) => Promise<Engine> }>({
  open: ({ portal }, use) =>
    runWithCleanUp((cleanUp) => use((name) => ENGINES[name].open(portal.url, cleanUp))),
})

const PHONE = 390
const SIZES = '(({ scrollWidth, clientWidth }) => ({ scrollWidth, clientWidth }))(document.documentElement)'
const field = (label: string) => `//input[@id=//label[.="${label}"]/@for]`
const tab = (area: string) => `//*[@role="tab"][starts-with(., "${area}")]`

for (const name of ['Firefox', 'WebKit'] as const)
  test(`${name}: an administrator signs in, reads two reports and opens /admin and /mensagens, also on a phone`, async ({
    open,
    demo,
  }) => {
    test.skip(!ENGINES[name].isHere(), `${name} is not installed`)
    await demo.setAdministrator('diretoria', true)
    const engine = await open(name)
    const shows = (text: string, frame?: string) =>
      expect
        .poll(() => engine.evaluate('document.body.innerText', frame).catch(() => ''), { timeout: 30_000 })
        .toContain(text)
    const press = (xpath: string) => expect(() => engine.click(xpath)).toPass({ timeout: 30_000 })
    /** Expects the report to render its figures inside the frame. */
    const showsReport = async (area: string) => {
      const { cards } = await demo.data(`area=${area}`)
      for (const { formatted } of cards) await shows(formatted, area)
    }
    const openScreens = async (width: number) => {
      await engine.resize(width)
      for (const [path, text] of [
        ['/admin', toEmail('admin')],
        ['/mensagens', 'Mensagens de Suporte'],
        ['/power-bi', 'Operadores'],
      ] as const) {
        await engine.goto(path)
        await shows(text)
        await expect.poll(() => engine.evaluate('innerWidth')).toBe(width)
        // Nothing overflows.
        const { scrollWidth, clientWidth } = (await engine.evaluate(SIZES)) as Record<string, number>
        expect(scrollWidth).toBe(clientWidth)
      }
    }

    await engine.resize(1440)
    await engine.goto('/login')
    await expect(() => engine.type(field('E-mail'), toEmail('diretoria'))).toPass({ timeout: 30_000 })
    await engine.type(field('Senha'), PASSWORD)
    await shows('Verificado')
    await press('//button[.="Entrar"]')
    await showsReport('Vendas')
    await press(tab('CRM'))
    await showsReport('CRM')
    await openScreens(1440)
    await openScreens(PHONE)
    await press(tab('HPD'))
    await showsReport('HPD')
  })
