import { Link } from '@tanstack/react-router'
import ArrowLeft from 'lucide-react/icons/arrow-left'
import { textLinkClasses } from '#web/ui/text-link.ts'
import { VisitorPage } from '#web/ui/visitor-page.tsx'
import { ContactForm } from './contact-form.tsx'

/** /contato, 'Entre em Contato': anybody writes to the administrators (SPEC section 2). */
export function ContactScreen() {
  return (
    <VisitorPage
      title="Entre em Contato"
      description="Envie uma dúvida ou sugestão. Respondemos por e-mail ou telefone."
    >
      <ContactForm />
      <p className="text-sm">
        <Link to="/login" className={`inline-flex items-center gap-1.5 ${textLinkClasses}`}>
          <ArrowLeft aria-hidden="true" className="size-4" />
          Voltar
        </Link>
      </p>
    </VisitorPage>
  )
}
