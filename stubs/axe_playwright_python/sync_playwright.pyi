class Axe:
    axe_script: str
